"""When are two records the same paper? Pure functions: normalised keys, similar titles, and what contradicts it."""
