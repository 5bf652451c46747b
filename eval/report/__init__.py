"""One page: of a split and its runs, with the queries where the best system fails; or of experiments."""
