"""Notebooks of Jupyter."""

import json


def notebook(*cells: tuple[str, str]) -> bytes:
    every = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), "outputs": ["@no"]}
        for kind, text in cells
    ]
    return json.dumps({"cells": every, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()
