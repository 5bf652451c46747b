"""The formats: each module here declares one and registers it; nothing else needs to know of it."""
