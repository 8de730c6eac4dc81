# SPDX-License-Identifier: Apache-2.0
"""Describes the machine for the head of every report, without its name or its user's."""
import datetime
import os
import re
import subprocess


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def processor():
    found = re.search(r"model name\s*:\s*(.+)", read("/proc/cpuinfo"))
    return found.group(1).strip() if found else os.uname().machine


def system():
    found = re.search(r'PRETTY_NAME="?([^"\n]+)', read("/etc/os-release"))
    name = re.sub(r"GNU/Linux |\s*\(\w+\)", "", found.group(1)) if found else "Linux"
    return f"{name}, kernel {'.'.join(os.uname().release.split('.')[:2])}"


def memory_gib():
    found = re.search(r"MemTotal:\s+(\d+)", read("/proc/meminfo"))
    return round(int(found.group(1)) / 2**20) if found else 0


def version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return f"{package} {done.stdout.split('-')[0]}" if done.stdout else f"{package}: not a package"


def facts(options):
    cores = len(os.sched_getaffinity(0))
    command = "meson compile -C build " + ("bench-quick" if options.quick else "bench")
    return {
        "machine": f"{cores} cores, {processor()}, {memory_gib()} GiB of memory",
        "system": system(),
        "peers": ", ".join(version(p) for p in ("squashfuse", "erofs-utils", "libfuse3-3")),
        "date": datetime.date.today().isoformat(),
        "load": f"{os.getloadavg()[0]:.1f} other busy tasks at the start"
                f" ({cores} would keep every core busy)",
        "mode": "quick" if options.quick else "full",
        "command": command,
        "parts": ", ".join(options.parts),
    }
