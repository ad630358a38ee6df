"""`poselift measure`: ranges, gait and gait cycles. As tables, files and a page."""
