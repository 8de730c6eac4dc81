#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peak.py COMMAND...: runs it, prints the most memory it had resident in KiB, ends as it did.

Not `ulimit -v`: a sanitizer's shadow is address space without memory behind it.
"""
import os
import subprocess
import sys

with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL) as process:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss)
sys.exit(process.returncode if process.returncode >= 0 else 1)
