"""The names of two sessions, and a question that is asked in one."""

QUESTION = {"text": "Passage retrieval with neural ranking"}
ONE, OTHER = "A" * 22, "B" * 22


def ask(client, session=ONE, **fields):
    answer = client.post(f"/s/{session}/", data={**QUESTION, **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]
