"""The training of cross-encoders."""
