"""`python tools/study.py`: every mechanism of the survey, trained and measured alike."""
