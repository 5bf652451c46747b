"""Ray: a cluster that is there, or one on this machine for the time of a job; and how its work is divided."""

import logging
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from common.cpu import compute_threads
from common.errors import ClusterError

_SECONDS_TO_ANSWER = 5.0
# A few portions for every encoder are some megabytes; Ray would take 30 % of the memory.
_OBJECT_STORE_BYTES = 512 << 20
_LEAST_OBJECT_STORE_BYTES = 80 << 20  # Ray refuses less than 75 MiB
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where Ray keeps its objects


@dataclass(frozen=True, slots=True)
class Division:
    """How the processors of a cluster are shared out."""

    cpus_per_encoder: float  # that Ray books
    encoders: int  # in all


def divide(cpus: Sequence[float]) -> Division:
    """One encoder a node, and a processor of each node left over, because encoders that take all starve the readers.

    `cpus` are those of the nodes. A node with less than half of what the largest has holds no encoder, unless the
    others have room for several. The processor that is left over is not idle: an encoder runs as many threads as its
    node has processors, and reading takes little of them.

    Raises:
        ClusterError: no node has a processor.
    """
    usable = [count for count in cpus if count >= 1]
    if not usable:
        raise ClusterError("the cluster has no node with a processor to offer: see `ray status`")
    smallest = min(count for count in usable if count >= max(usable) / 2)
    booked = smallest - 1 if smallest >= 2 else 0.5
    return Division(booked, sum(encoders_of(count, booked) for count in usable))


def encoders_of(cpus: float, cpus_per_encoder: float) -> int:
    """Encoders that find room on a node beside a reader."""
    return max(int((cpus - 0.5) // cpus_per_encoder), 0)


def threads_of(cpus: float, cpus_per_encoder: float) -> int:
    """Threads of one encoder on a node with `cpus`."""
    return max(int(cpus // max(encoders_of(cpus, cpus_per_encoder), 1)), 1)


def require_ray() -> None:
    """Raise ClusterError where Ray Data is not installed."""
    if find_spec("ray") is None:
        raise ClusterError("encoding in bulk needs Ray: pip install 'citescout[ray]'")


@contextmanager
def connected(address: str | None) -> Iterator[list[float]]:
    """A connection to the cluster at `address` ("host:port"); None starts one here, which ends with it.

    Yields the processors of its nodes.

    Raises:
        ClusterError: Ray is not installed, nothing answers at the address, or it cannot be used from here.
    """
    require_ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # it is 15 otherwise: any other program would go first
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns of a default that will change
    if address is not None:
        _check_answers(address)
        # One attempt of ten seconds; otherwise it is twenty of half a minute.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        os.environ.setdefault("RAY_py_gcs_connect_timeout_s", "10")
    if address is None or _is_loopback(address):
        # Despite its name, this decides whether Ray replaces 127.0.0.1 by the address that others see.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    quiet = logging.getLogger().getEffectiveLevel() > logging.INFO
    if quiet:
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    import ray
    import ray.data

    options: dict[str, Any] = {"logging_level": logging.ERROR if quiet else logging.INFO, "log_to_driver": not quiet}
    options |= _local_options() if address is None else {"address": address}
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, OSError, AssertionError, ray.exceptions.RayError) as error:
        where = f"the Ray cluster at {address}" if address else "Ray on this machine"
        hint = "; RAY_AUTH_MODE and the token have to be the cluster's" if address else ""
        raise ClusterError(f"cannot use {where}: {_first_sentence(error)}{hint}") from None
    try:
        if quiet:
            logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what it reports is raised as well
        yield [float(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    finally:
        ray.shutdown()


def _local_options() -> dict[str, Any]:
    """Of a cluster of this machine alone, which others cannot reach."""
    options: dict[str, Any] = {
        "address": "local",
        "num_cpus": compute_threads(),
        "num_gpus": 0,
        "include_dashboard": False,
        "_node_ip_address": "127.0.0.1",
    }
    free = shutil.disk_usage(_SHARED_MEMORY).free if _SHARED_MEMORY.is_dir() else 0
    if free < 2 * _LEAST_OBJECT_STORE_BYTES:  # such as the 64 MB of a container
        options["_plasma_directory"] = tempfile.gettempdir()
        free = shutil.disk_usage(options["_plasma_directory"]).free
    options["object_store_memory"] = max(min(_OBJECT_STORE_BYTES, free // 2), _LEAST_OBJECT_STORE_BYTES)
    return options


def _check_answers(address: str) -> None:
    """Raise ClusterError unless something listens there; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in address:
        raise ClusterError(f"{address!r} is not an address of a Ray cluster, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ClusterError(
            f"no Ray cluster answers at {address} ({why}): start one with `ray start --head`, or leave --cluster out"
        ) from None


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _first_sentence(error: Exception) -> str:
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    return text.split(". ")[0][:300] or type(error).__name__
