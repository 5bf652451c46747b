"""The families: each module here registers its baselines; nothing else needs to know of it."""
