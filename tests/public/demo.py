# SPDX-License-Identifier: Apache-2.0
"""demo/train_mini_epochs.py and demo/tune_fidelity.py train on a few photographs and print what
they measured; wrong folders are refused with a sentence. Mounts end with the program, also if it is
killed.
"""
import os
import signal
import subprocess
import sys

from mounted import Results, Work, need_fuse, skip
from small import daemons, until

try:
    import PIL  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    skip(f"{error} (Debian: python3-torch, python3-pil)")

ROOT = os.environ["SOURCE_ROOT"]
KINDS = ("1", "2", "auto")


def begin(temporary, *arguments, program="train_mini_epochs"):
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=f"{ROOT}/src/python",
                       TMPDIR=temporary)
    return subprocess.Popen([sys.executable, f"{ROOT}/demo/{program}.py", *arguments],
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def demo(*arguments, **program):
    with begin("/tmp", *arguments, **program) as running:
        output, _ = running.communicate(timeout=500)
        return subprocess.CompletedProcess(arguments, running.returncode, output)


def trained(source):
    done = demo(source, "--epochs=2", f"--rf={','.join(KINDS)}", "--rate=20000000")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("full")]
    rows, means = rows[:len(KINDS)], rows[len(KINDS):]
    if done.returncode or [row[1] for row in rows] != list(KINDS) or len(means) != len(KINDS):
        yield f"exit {done.returncode}: {done.stdout[-2000:]}"
        return
    for _, rf, _, accuracy, loss, passes, megabytes, seconds in rows:
        if not (0 <= float(accuracy.rstrip("%")) <= 100 and 0 < float(loss) < 20 and
                float(passes) > .5 and float(megabytes) > .1 and float(seconds) > 0):
            yield f"rf {rf}: {rows}"


def tuned(source):
    """A lower level reads fewer bytes; the tuner prints the level that it chose, and its share of
    the time.
    """
    done = demo(source, "--epochs=3", "--with=full,q1,tuner", program="tune_fidelity")
    rows = [line.split() for line in done.stdout.splitlines()
            if line.startswith(("full ", "q1 ", "tuner "))][:3]
    if done.returncode or [row[0] for row in rows] != ["full", "q1", "tuner"]:
        yield f"exit {done.returncode}: {done.stdout[-2000:]}"
        return
    full, low, tuner = (float(row[5]) for row in rows)
    if not 0 < low < full / 2 or not 0 < tuner or "of the time)" not in " ".join(rows[2]):
        yield f"{rows}"


def mounted(temporary):
    """The mount points of the program, while its daemons live."""
    points = [f"{temporary}/{name}/mount" for name in os.listdir(temporary)]
    return [point for point in points if daemons(point)]


def ended(source, work, number):
    """A signal ends the program while it trains: then nothing is mounted, and no daemon lives."""
    temporary, points = f"{work}/ended-{number}", []
    os.mkdir(temporary)
    with begin(temporary, source, "--epochs=999", "--rf=2", "--rate=20000000") as running:
        until(lambda: points.extend(mounted(temporary)) or any(map(os.path.ismount, points)), 120)
        running.send_signal(number)
        running.wait(timeout=120)
        running.stdout.close()
    if not points:
        yield "nothing was mounted"
    if not until(lambda: not any(daemons(point) for point in points)):
        yield f"{[daemons(point) for point in points]} live"
    with open("/proc/mounts", encoding="utf-8") as mounts:
        yield from (line for line in mounts if temporary in line)
    if number != signal.SIGKILL and os.listdir(temporary):
        yield f"{os.listdir(temporary)} is left"


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
        results.add("tuned", tuned(f"{work}/source"))
        results.add("refused", refused(work))
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            results.add(f"ended by {number.name}", ended(f"{work}/source", work, number))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
