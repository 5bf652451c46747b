"""A bibliography as people have it, and the papers of the demo corpus that it names."""

# What stands in the bibliography → the paper that it is, and how it is found.
BIBLIOGRAPHY = r"""
@article{a, title={Something else entirely}, doi={https://doi.org/10.1002/(SICI)1097-4571(199009)41:6<391::AID-ASI1>3.0.CO;2-9}}
@book{b, title={{BM25} and beyond, the probabilistic relevance framework}, doi={10.1561/ 1500000019.}, year=2009}
@misc{c, title={ADAM}, eprint={1412.6980v9}, archiveprefix={arXiv}, year=2014}
@article{d, title={Adam: stochastic optimisation}, journal={arXiv preprint arXiv:1412.6980}, year=2014}
@misc{e, title={Attention}, doi={10.48550/arXiv.1706.03762}}
@inproceedings{f, title={{BERT} -- Pre-Training of Deep Bidirectional Transformers for Language-Understanding},
  author={Devlin, Jacob and others}, year=2018}
@article{g, title={Cocitation in the scientific literature}, author={Small, H.}, year=1973}
@article{h, title={Emergence of Scalling in Random Networks}, year=1999}
@article{i, title={An experimantal comparison of click position-bias modles}, year={2008}}
@article{j, title={Latent {D}irichlet Allocation}, author={Blei, David M. and Ng, Andrew Y.}, year=2003}
"""
EXPECTED = {
    "a": ("deerwester1990indexing", "doi"),
    "b": ("robertson2009probabilistic", "doi"),
    "c": ("kingma2015adam", "arxiv"),
    "d": ("kingma2015adam", "arxiv"),
    "e": ("vaswani2017attention", "arxiv"),
    "f": ("devlin2019bert", "title"),
    "g": ("small1973co", "fuzzy"),
    "h": ("barabasi1999emergence", "fuzzy"),
    "i": ("craswell2008experimental", "fuzzy"),
    "j": ("blei2003latent", "title"),
}
# Works that the corpus lacks, though something of theirs stands in it.
STRANGERS = r"""
@article{k, title={Random forests}, author={Wang, Wei}, year=2001}
@article{l, title={Bagging predictors}, author={Breiman, Leo}, year=2010}
@article{m, title={A language modeling approach to information retrieval}, year=2004}
@article{n, title={Editorial}, author={Blei, David M.}, year=2003}
@article{o, title={Introduction to the CoNLL-2002 Shared Task: Language-Independent Named Entity Recognition},
  year=2002}
@article{p, title={Attention is not all you need}, year=2017}
@article{q, title={Die Kunst der Fuge}, author={Bach, Johann Sebastian}, doi={10.1561/1500000019}, year=1751}
@article{blei2003latent, title={Vom Kriege}, author={von Clausewitz, Carl}, year=1832}
"""
