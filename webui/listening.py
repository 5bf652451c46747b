"""Where a server is reached that listens, and what whoever runs it should know."""

import os
import socket

from common.errors import CitescoutError


class _Whole(str):
    """A name that Werkzeug compares as it is: it cuts others at their first colon, an IPv6 address within."""

    __slots__ = ()

    def partition(self, _separator: str, /) -> tuple[str, str, str]:
        return str(self), "", ""


def host_name(name: str) -> str:
    """A name under which a server may be asked, as browsers send it and Werkzeug compares it."""
    name = name.lower()
    if name.count(":") > 1:  # an IPv6 address, which stands in brackets
        return _Whole(name if name.startswith("[") else f"[{name}]")
    return name


LOOPBACK = ("127.0.0.1", "localhost", "::1", host_name("[::1]"))
# Documentation addresses (RFC 5737, RFC 3849): choosing a route to them sends nothing.
_ELSEWHERE = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}  # noqa: S104


def check_address(host: str, port: int) -> None:
    """See that a server could listen there.

    Raises:
        CitescoutError: it could not.
    """
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind, protocol) as probe:
                if family == socket.AF_INET6:  # as the server does: 0.0.0.0 and :: are two addresses
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                if os.name == "posix":  # elsewhere it would let two servers have one port
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except (OSError, ValueError) as error:
        raise not_listening(host, port, error) from None


def not_listening(host: str, port: int, error: Exception) -> CitescoutError:
    """What is said of an address that is taken or not of this machine."""
    reason = getattr(error, "strerror", None) or str(error)
    return CitescoutError(f"cannot listen on {host}:{port}: {reason}; choose another --host or --port")


def announcement(host: str, port: int, closed: bool) -> str:
    """What a server on `host` says when it is ready; `closed` if it asks for keys or answers to a proxy's name only."""
    address = _reached_at(host)
    shown = f"[{address}]" if ":" in address else address
    line = f"citescout is at http://{shown}:{port}/ (stop with Ctrl+C)\n"
    if host in LOOPBACK or closed:
        return line
    return f"{line}Whoever reaches this address may ask; --api-keys closes it (docs/security.md)\n"


def _reached_at(host: str) -> str:
    """The host itself; of one that stands for all addresses of this machine, the one that its network knows."""
    if host not in _ELSEWHERE:
        return host
    family, elsewhere = _ELSEWHERE[host]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((elsewhere, 9))
        except OSError:  # no network
            return "127.0.0.1" if family == socket.AF_INET else "::1"
        return str(probe.getsockname()[0])
