"""Tables for papers: protocols, scores of predictions under them, and what is made of the scores."""
