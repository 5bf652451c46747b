"""The training of the blend."""
