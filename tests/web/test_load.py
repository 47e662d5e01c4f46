"""Twenty clients for a minute: no error, and memory that does not grow."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from raters import examples
from raters.writing import csv_text

VIEWS = ("overview", "where?cell=0-1", "raters?who=dev", "items?page=2", "items?find=review+1", "adjudicate", "reading")


def ask(port, path, cookie=""):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", path, headers={"cookie": cookie, "host": f"127.0.0.1:{port}"})
    got = link.getresponse()
    body, heads = got.read(), got.headers
    link.close()
    return got.status, heads, body


def memory(process):
    """Bytes held by the server and its children."""
    found = 0
    pids = [process.pid]
    for pid in pids:  # a file's process is a child of the one that waits for files
        pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        found += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return found


@pytest.mark.long("load")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of processes is read from /proc")
def test_twenty_clients_for_a_minute(tmp_path):
    path, table = tmp_path / "demo.csv", examples.demo().to_columns()
    path.write_text(csv_text(list(table), zip(*table.values(), strict=True)))
    command = [sys.executable, "-m", "raters", "serve", "--no-browser", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while not (found := re.search(r":(\d+)/start\?token=(\S+)", process.stdout.readline())):
        assert process.poll() is None
    port = int(found[1])
    cookie = ask(port, f"/start?token={found[2]}")[1]["set-cookie"].split(";")[0]
    file = re.search(rb"/f/(\w+)/", ask(port, "/", cookie)[2])[1].decode()

    def client(n, until):
        statuses = set()
        while time.monotonic() < until:
            statuses.add(ask(port, f"/f/{file}/{VIEWS[n % len(VIEWS)]}", cookie)[0])
            n += 1
        return statuses

    def all_of(seconds):
        with ThreadPoolExecutor(20) as pool:
            return set().union(*pool.map(client, range(20), [time.monotonic() + seconds] * 20))

    all_of(30)  # every view has been made
    before = memory(process)
    assert all_of(30) <= {200, 202}
    assert memory(process) < 1.1 * before, "memory grows"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
