"""Citeomatic (Bhagavatula et al., NAACL 2018): NNSelect finds candidates, NNRank orders them; learnt from citations.

Settings and what the paper leaves open are those of the authors' published code (allenai/citeomatic).
"""
