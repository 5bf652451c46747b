"""Everything that trains: encoders, rerankers, the blend; nothing here is needed to answer."""
