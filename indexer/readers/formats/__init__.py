"""The formats: each module here declares one or several, which are found there; nothing else needs to know of them."""
