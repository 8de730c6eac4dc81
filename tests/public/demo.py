# SPDX-License-Identifier: Apache-2.0
"""demo/train_mini_epochs.py trains on a few photographs and prints what it measured; wrong folders
are refused with a sentence.
"""
import os
import subprocess
import sys

from mounted import Results, Work, need_fuse, skip

try:
    import PIL  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    skip(f"{error} (Debian: python3-torch, python3-pil)")

ROOT = os.environ["SOURCE_ROOT"]
KINDS = ("1", "2", "auto")


def demo(*arguments):
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=f"{ROOT}/src/python")
    return subprocess.run([sys.executable, f"{ROOT}/demo/train_mini_epochs.py", *arguments],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=500, check=False)


def trained(source):
    done = demo(source, "--epochs=2", f"--rf={','.join(KINDS)}", "--rate=20000000")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("full")]
    if done.returncode or [row[1] for row in rows] != list(KINDS):
        yield f"exit {done.returncode}: {done.stdout[-2000:]}"
        return
    for _, rf, _, accuracy, loss, passes, megabytes, seconds in rows:
        if not (0 <= float(accuracy.rstrip("%")) <= 100 and 0 < float(loss) < 20 and
                float(passes) > .5 and float(megabytes) > .1 and float(seconds) > 0):
            yield f"rf {rf}: {rows}"


def refused(work):
    os.makedirs(f"{work}/empty/one")
    done = demo(f"{work}/empty")
    if done.returncode == 0 or "are the least" not in done.stdout or "Traceback" in done.stdout:
        yield f"a folder without photographs: {done.stdout[-500:]}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        subprocess.run([os.environ["PHOTOGRAPHS"], f"{work}/source", "60", "4"], check=True,
                       stdout=subprocess.DEVNULL)
        results.add("trained", trained(f"{work}/source"))
        results.add("refused", refused(work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
