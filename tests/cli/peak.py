#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peak.py COMMAND...: runs it, prints its peak resident memory in KiB and its seconds of CPU, and
exits with its code.

`ulimit -v` would not do: a sanitizer's shadow memory is address space that is mostly not resident.
"""
import os
import subprocess
import sys

with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL) as process:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss, int(usage.ru_utime + usage.ru_stime))
sys.exit(process.returncode if process.returncode >= 0 else 1)
