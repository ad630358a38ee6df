"""`poselift batch`: lifts many videos, on one machine or on a cluster."""
