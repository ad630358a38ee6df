"""`poselift measure`: ranges, gait and gait cycles. They come as tables, files and a page."""
