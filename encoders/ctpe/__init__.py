"""CTPE: a document as two vectors, of its front and of its back, that are trained to know each other.

Coupled text pair embedding, 2022. No citations are needed, neither to train nor to encode.
"""
