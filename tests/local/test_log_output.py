"""The log: lines wait for a reader that has stopped, and those that do not fit are counted."""

import json
import os

from coolid.local.log_output import MAX_WAITING_BYTES, LogOutput


def test_a_reader_that_stops_costs_lines_but_no_time_and_gets_their_number() -> None:
    unread, descriptor = os.pipe()
    output = LogOutput(descriptor)
    lines = MAX_WAITING_BYTES // 1000 * 2
    for _ in range(lines):
        output.write("x" * 999)
    received = b""
    while b"dropped" not in received or not received.endswith(b"\n"):
        received += os.read(unread, 1 << 16)
    *whole, last = received.decode().splitlines()
    assert {*whole} == {"x" * 999}
    assert len(whole) + json.loads(last)["dropped"] == lines
    output.write("later")
    output.finish()
    assert os.read(unread, 100) == b"later\n"
    os.close(unread)
    output.write("nobody reads this, which ends nothing")
    output.finish()
    os.close(descriptor)
