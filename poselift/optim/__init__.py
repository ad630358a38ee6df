"""Learning-rate schedules, as pure functions of the step."""
