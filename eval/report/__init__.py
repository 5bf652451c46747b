"""A split and its runs as one page: figures, tests, plots, and the queries where the best system fails."""
