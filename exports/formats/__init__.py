"""One module a format: its declaration and its writer."""
