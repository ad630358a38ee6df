"""`poselift measure`: ranges of motion, gait, and angles over the gait cycle, as tables, files and a page."""
