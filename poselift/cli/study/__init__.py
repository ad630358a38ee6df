"""`poselift study`: every mechanism of the thesis, trained and measured in the same way."""
