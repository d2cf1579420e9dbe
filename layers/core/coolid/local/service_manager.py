"""Notification to systemd that the service is ready (sd_notify(3)), for units of `Type=notify`."""

import os
import socket
from contextlib import suppress


def notify_ready() -> None:
    """Send `READY=1` to the service manager, if one started this process with `NOTIFY_SOCKET`."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        manager.sendall(b"READY=1")
