"""The training of CTPE encoders."""
