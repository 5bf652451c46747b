"""A corpus encoded on any number of machines, into a folder of vectors that an index takes over.

`job.encode_corpus` is the way in; `folder` and `parts` say what such a folder holds, and need no Ray.
"""
