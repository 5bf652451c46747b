"""Triplets to train document encoders on: a query, a paper near to it and one that is not; drawn, read and written."""
