"""`poselift compare`: what changed between two groups of trials, with its doubt."""
