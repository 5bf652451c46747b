"""First stage: a query → candidates, each with the rank and score that every source gave it."""
