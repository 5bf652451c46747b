"""A visitor who waits for an index, and a command that ends at once."""

import time


def waited(client, address, seconds=90):
    """The progress page when the build has ended."""
    until = time.monotonic() + seconds
    while "Refresh" in (answer := client.get(address)).headers and time.monotonic() < until:
        time.sleep(0.1)
    return answer.text


class Ended:
    """A command that has ended already."""

    def __init__(self, status=1):
        self.status = status

    def wait(self):
        return self.status
