"""How good are the lists? Protocols, metrics by trec_eval, and the systems that are compared."""
