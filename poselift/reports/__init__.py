"""Tables for papers: protocols, scores of predictions, and their uses."""
