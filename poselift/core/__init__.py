"""What everything else stands on: errors, axis names, optional packages, atomic file writing."""
