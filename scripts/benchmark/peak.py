"""The most memory that a process had so far, in MB."""

import resource
import sys
from pathlib import Path


def peak(pid: int | None = None) -> float:
    """Of another process, or of this one.

    Linux tells it in `VmHWM` of proc(5); elsewhere only this process can ask, of getrusage(2), which on Linux would
    count what the parent had when it spawned this one.
    """
    status = Path(f"/proc/{pid or 'self'}/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    assert pid is None, "this system does not tell of another process"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6
