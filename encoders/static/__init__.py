"""An encoder without a network: a table of token vectors, which comes with the installation."""
