"""A manuscript in LaTeX: its files put together, its macros expanded, and what stands in it."""
