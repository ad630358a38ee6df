"""`poselift study`: every mechanism of the survey, trained and measured in the same way."""
