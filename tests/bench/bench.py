#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files a second of an ext4 folder, squashfuse_ll, a null FUSE server and lodfs, in one run.

Every round mounts each system anew and reads all files twice or more in a shuffled order: the first
pass (fresh mount, data in RAM), then warm passes. Rounds are interleaved, so that a slow minute of
the machine hits all alike; the first round is thrown away. Medians, with the lowest and highest.
Only ratios within one run mean anything: files/s of one machine move by 2x between runs.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

THREADS = (1, 4)
TICK = os.sysconf("SC_CLK_TCK")


def listing(root):
    """[(path, bytes)] of the files below root."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            found.append((os.path.relpath(path, root), os.lstat(path).st_size))
    return sorted(found)


def breadth_first(files):
    """The null server's list: a line a node, the children of a folder together and sorted."""
    children = {"": set()}
    sizes = dict(files)
    for path, _ in files:
        while path:
            parent = os.path.dirname(path)
            children.setdefault(parent, set()).add(path)
            path = parent
    lines, queue = ["0 -1 root"], [("", 0)]
    for folder, number in queue:
        for child in sorted(children[folder], key=lambda p: os.path.basename(p).encode()):
            size = sizes.get(child, -1)
            if size < 0:
                queue.append((child, len(lines)))
            lines.append(f"{number} {size} {os.path.basename(child)}")
    return "\n".join(lines) + "\n"


class System:
    """Something that shows the files. `command` serves them at `point` in the foreground."""

    def __init__(self, name, point, command=None, folder=""):
        self.name, self.point, self.command = name, point, command
        self.root = os.path.join(point, folder)
        self.server = None

    def start(self):
        if not self.command:
            return
        os.makedirs(self.point, exist_ok=True)
        self.server = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not os.path.ismount(self.point):
            if self.server.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{self.name} did not mount: {' '.join(self.command)}")
            time.sleep(.01)

    def stop(self):
        if self.server:
            subprocess.run(["umount", self.point], check=True)
            self.server.wait(20)
            self.server = None

    def cpu(self):
        """Seconds of CPU of the server so far."""
        if not self.server:
            return 0.0
        with open(f"/proc/{self.server.pid}/stat", encoding="ascii") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICK


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.source = options.folder or self.make_photographs()
        self.files = listing(self.source)
        self.list = self.write("list", "".join(f"{path}\n" for path, _ in self.files))
        self.report = {"files": len(self.files), "source_bytes": sum(b for _, b in self.files),
                       "rounds": options.rounds, "passes": {}, "pack": {}, "fidelities": {}}

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def make_photographs(self):
        """Made once and kept: two processes, a seed each."""
        folder = os.path.join(self.options.out, f"photographs-{self.options.count}")
        if not os.path.isdir(folder):
            os.makedirs(folder + ".part")
            makers = [subprocess.Popen([self.options.photographs, f"{folder}.part/{seed}",
                                        str(self.options.count // 2), str(seed)])
                      for seed in (1, 2)]
            if any([maker.wait() for maker in makers]):
                raise SystemExit("the photographs could not be made")
            os.rename(folder + ".part", folder)
        return folder

    def pack(self):
        store = os.path.join(self.work, "store")
        for options in (["-j1", "--scans=default"], ["-j2"], ["-j1"]):
            shutil.rmtree(store, ignore_errors=True)
            before, from_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            subprocess.run([self.options.lodfs, "pack", *options, self.source, store],
                           check=True, stdout=subprocess.DEVNULL)
            took = time.monotonic() - from_s
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            self.report["pack"][" ".join(options)] = {
                "seconds": took, "cpu_ms_per_file": 1e3 * cpu / len(self.files)}
        return store

    def systems(self, store):
        """What is compared; the null server once with the sizes of full and once of q1."""
        lodfs = [self.options.lodfs, "mount", "-f", store]
        mount = System("lodfs", os.path.join(self.work, "sizes"),
                       lodfs + [os.path.join(self.work, "sizes")])
        mount.start()
        lists = {}
        for fidelity in [f"q{k}" for k in range(1, 11)] + ["full"]:
            files = listing(os.path.join(mount.point, fidelity))
            self.report["fidelities"][fidelity] = sum(b for _, b in files)
            if fidelity in ("q1", "full"):
                lists[fidelity] = self.write(f"null-{fidelity}", breadth_first(files))
        mount.stop()
        image = os.path.join(self.work, "image.squashfs")
        subprocess.run(["mksquashfs", self.source, image, "-quiet", "-no-progress", "-noI", "-noD",
                        "-noF", "-noX"], check=True, stdout=subprocess.DEVNULL)

        def server(name, command, folder=""):
            point = os.path.join(self.work, name.replace(" ", "-"))
            return System(name, point, command + [point], folder)
        null = self.options.null
        return [System("ext4 folder", self.source),
                server("squashfuse_ll", ["squashfuse_ll", "-f", image]),
                server("null server", [null, lists["full"]]),
                server("lodfs full", lodfs, "full"),
                server("null server at q1", [null, lists["q1"]]),
                server("lodfs q1", lodfs, "q1")]

    def read(self, system, threads, passes, seed):
        cpu = system.cpu()
        out = subprocess.run([self.options.reader, system.root, self.list, str(threads),
                              str(passes), str(seed)], check=True, stdout=subprocess.PIPE).stdout
        files, size, seconds, reader_cpu = map(float, out.split())
        return {"files_per_s": files / seconds, "mb_per_s": size / seconds / 1e6,
                "server_us": 1e6 * (system.cpu() - cpu) / files,
                "reader_us": 1e6 * reader_cpu / files}

    def round(self, systems, number):
        for system in systems[number % len(systems):] + systems[:number % len(systems)]:
            for threads in THREADS:
                system.start()
                results = {"first": self.read(system, threads, 1, number),
                           "warm": self.read(system, threads, 10, number + 1000)}
                system.stop()
                for phase, result in results.items():
                    if number > 0:
                        key = f"{system.name}|{phase}|T{threads}"
                        self.report["passes"].setdefault(key, []).append(result)

    def run(self):
        store = self.pack()
        systems = self.systems(store)
        for folder in (self.source, store):  # into RAM, whatever was there before
            for path, _ in listing(folder):
                with open(os.path.join(folder, path), "rb") as file:
                    file.read()
        for number in range(self.options.rounds + 1):
            self.round(systems, number)
            print(f"round {number} of {self.options.rounds}", file=sys.stderr)
        self.names = [system.name for system in systems]


def spread(values, form="{:,.0f}"):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{form.format(middle)} ({form.format(low)} .. {form.format(high)})"


def ratio(report, name, base, phase, threads):
    """Of the files/s of two systems, round by round."""
    pairs = zip(report["passes"][f"{name}|{phase}|T{threads}"],
                report["passes"][f"{base}|{phase}|T{threads}"])
    return [a["files_per_s"] / b["files_per_s"] for a, b in pairs]


def table(report, names):
    lines = [f"{report['files']} files, {report['source_bytes'] / 1e6:.1f} MB; files/s, median"
             f" (lowest .. highest) of {report['rounds']} rounds", "",
             "| what | first pass, 1 reader | first pass, 4 readers | warm, 1 reader |"
             " warm, 4 readers | server CPU, us/file |", "|---|---|---|---|---|---|"]
    for name in names:
        cells = [spread([r["files_per_s"] for r in report["passes"][f"{name}|{phase}|T{threads}"]])
                 for phase in ("first", "warm") for threads in THREADS]
        cpu = [r["server_us"] for r in report["passes"][f"{name}|first|T4"]]
        cells.append(spread(cpu) if any(cpu) else "-")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "| ratio, round by round | 1 reader | 4 readers |", "|---|---|---|"]
    for name, base, phase in (("lodfs full", "null server", "first"),
                              ("lodfs full", "squashfuse_ll", "first"),
                              ("lodfs q1", "null server at q1", "first"),
                              ("lodfs full", "ext4 folder", "warm")):
        cells = [spread(ratio(report, name, base, phase, t), "{:.2f}") for t in THREADS]
        lines.append(f"| {name} / {base}, {phase} pass | {' | '.join(cells)} |")
    lines += ["", "| fidelity | bytes | of the source |", "|---|---|---|"]
    lines += [f"| {name} | {size:,} | {100 * size / report['source_bytes']:.1f} % |"
              for name, size in report["fidelities"].items()]
    lines += [""] + [f"pack {j}: {p['cpu_ms_per_file']:.1f} ms CPU a file, {p['seconds']:.1f} s"
                     for j, p in report["pack"].items()]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("lodfs", "reader", "null", "photographs", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--folder", help="photographs to read; else some are made")
    parser.add_argument("--count", type=int, default=800, help="how many to make")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("squashfuse_ll"):
        raise SystemExit("bench: run as root, with squashfuse and squashfs-tools installed")
    with tempfile.TemporaryDirectory(prefix="lodfs-bench-") as work:
        bench = Bench(options, work)
        bench.run()
    text = table(bench.report, bench.names)
    print(text)
    for name, content in (("bench.txt", text + "\n"), ("bench.json", json.dumps(bench.report))):
        with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main()
