"""The encoder of single sentences that are to cite something."""
