"""What is trained out of indexes: their papers as queries, what they cite as answers, without what is held out."""
