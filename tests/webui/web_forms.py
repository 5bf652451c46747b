"""A question in the page's form, and a file that is sent with it."""

import io

QUESTION = {"title": "Passage retrieval with neural ranking", "abstract": ""}
BIB = (
    b"@article{x, title={Dense passage retrieval}, author={Alan Turing}}\n@misc{y, title={Nowhere to be found at all}}"
)


def post(client, **fields):
    return client.post("/", data={**QUESTION, **fields}, content_type="multipart/form-data")


def file(data, name):
    return (io.BytesIO(data), name)
