# SPDX-License-Identifier: Apache-2.0
"""MOUNT/.lodfs and `lodfs stats`: fresh at every read, of fixed size, and whose business it is."""
import json
import os
import re
import shutil
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from requests import count, read_plainly
from small import Foreground, files_below, make_store, read

NOBODY = 65534
NAMES = ["stats", "metrics", "openmetrics", "config", "control"]
OPTIONS = "threads=3,cache_size=32M,gpu=off,allow_other,uid=7,fmask=022,download_limit=1G"
LABEL = r'[a-z]+="[a-z0-9.+Inf-]+"'
LINE = re.compile(rf'lodfs_[a-z_]+(\{{{LABEL}(,{LABEL})*\}})? [0-9.e+-]+')
HISTOGRAM = re.compile("_(bucket|sum|count)$")


def stats_of(point):
    return json.loads(read(f"{point}/.lodfs/stats"))


def listing(point):
    if sorted(os.listdir(f"{point}/.lodfs")) != sorted(NAMES):
        yield f".lodfs lists {os.listdir(f'{point}/.lodfs')}"
    for name in NAMES:
        path = f"{point}/.lodfs/{name}"
        if len(read(path)) != os.stat(path).st_size:
            yield f"{name}: st_size {os.stat(path).st_size}, {len(read(path))} bytes read"
    for tree in ("full", "q1", "original", "decoded/q3"):
        if os.path.exists(f"{point}/{tree}/.lodfs") or os.path.exists(f"{point}/{tree}/auto"):
            yield f"{tree} has what is not of the dataset"


def fresh(point):
    """Counters that were read are not kept by the kernel: the next read sees the next state."""
    seen = stats_of(point)["requests"]["read"]
    for _ in range(5):
        now = stats_of(point)["requests"]["read"]
        if now <= seen:
            yield f"{now} read requests after {seen}"
        seen = now
    for name in ("q1", "q7", "full"):
        lodfs("set", point, f"auto={name}")
        if stats_of(point)["auto"]["fidelity"] != name:
            yield f"auto={name}: the statistics say {stats_of(point)['auto']}"
        shown = read(f"{point}/.lodfs/metrics").decode()
        if f'lodfs_auto_info{{fidelity="{name}"}} 1' not in shown:
            yield f"auto={name}: the metrics say otherwise"
    file = os.open(f"{point}/.lodfs/stats", os.O_RDONLY)
    parts = b"".join(iter(lambda: os.read(file, 100), b""))
    os.close(file)
    if json.loads(parts)["version"] != stats_of(point)["version"]:
        yield "read in small pieces it is another document"


def counted(point):
    """Bytes and requests are those that were asked for."""
    before = stats_of(point)
    total = 0
    for name in files_below(f"{point}/q4"):
        path = os.path.join(os.fsencode(f"{point}/q4"), name)
        total += os.stat(path).st_size
        read_plainly(path)
    after = stats_of(point)
    if after["read_bytes"]["q4"] - before["read_bytes"]["q4"] != total:
        yield f"{total} bytes read of q4, counted {after['read_bytes']['q4']}"
    if after["read_bytes"]["q5"] != before["read_bytes"]["q5"]:
        yield "bytes of q5 counted, none were read"
    if after["requests"]["readdirplus"] <= before["requests"]["readdirplus"]:
        yield "listings are not counted"
    if after["cache"]["misses"] <= before["cache"]["misses"]:
        yield "the cache counts nothing"


def metrics(point):
    text = read(f"{point}/.lodfs/metrics").decode()
    known = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            known[name] = kind
        elif not line.startswith("#"):
            name = re.match("[a-z_]+", line).group()
            family = HISTOGRAM.sub("", name)
            name = family if known.get(family) == "histogram" else name
            if not LINE.fullmatch(line):
                yield f"no metric: {line!r}"
            elif name not in known:
                yield f"{line}: no TYPE before it"
            elif (known[name] == "counter") != name.endswith("_total"):
                yield f"{line}: a {known[name]}"
    for name in ("fuse_ops_total", "fuse_op_duration_seconds", "read_bytes_total",
                 "backend_bytes_total",
                 "backend_requests_total", "cache_hits_total", "cache_misses_total", "cache_bytes",
                 "checksum_errors_total", "build_info"):
        if f"lodfs_{name}" not in known:
            yield f"lodfs_{name} is missing"
    if not text.endswith("\n"):
        yield "no line's end at the end"


def samples_of(text, parse):
    return {(s.name, *sorted(s.labels.items())): s.value for f in parse(text) for s in f.samples}


def parsers():
    """What Prometheus' own parsers, made for each format, read out of the two files."""
    from prometheus_client import openmetrics, parser
    import prometheus_client.openmetrics.parser
    return {"metrics": parser.text_string_to_metric_families,
            "openmetrics": openmetrics.parser.text_string_to_metric_families}


def parsed(point):
    for name, parse in parsers().items():
        samples = samples_of(read(f"{point}/.lodfs/{name}").decode(), parse)
        key = "lodfs_fuse_op_duration_seconds"
        count = samples[(f"{key}_count", ("op", "read"))]
        bucket = samples[(f"{key}_bucket", ("le", "+Inf"), ("op", "read"))]
        total = samples[("lodfs_fuse_ops_total", ("op", "read"))]
        if count != bucket or not 0 < count < total + 1:
            yield f"{name}: {count} durations, {bucket} in buckets, of {total} reads"
        if not 0 < samples[(f"{key}_sum", ("op", "read"))] < 60 * count:
            yield f"{name}: {count} reads took {samples[(key + '_sum', ('op', 'read'))]} s"
        if samples[("lodfs_backend_requests_total", ("code", "ok"))] < 1:
            yield f"{name}: no request to the store ended well"


def promtool(point):
    done = subprocess.run(["promtool", "check", "metrics"], capture_output=True, check=False,
                          input=read(f"{point}/.lodfs/metrics"), timeout=20)
    if done.returncode:
        yield done.stderr[:2000].decode()


def durations(point):
    """Each request is in the histogram once it is answered."""
    before = stats_of(point)
    for _ in range(50):
        read(f"{point}/.lodfs/stats")
    after = stats_of(point)
    if after["request_seconds"]["read"] <= before["request_seconds"]["read"]:
        yield "50 reads took no time"
    if not 0 < after["request_seconds_p50"]["read"] <= after["request_seconds_p99"]["read"]:
        yield f"half within {after['request_seconds_p50']}, most {after['request_seconds_p99']}"


def config(store, point):
    said = json.loads(read(f"{point}/.lodfs/config"))
    wanted = {"store": store, "mountpoint": point, "threads": 3, "cache_size": 32 << 20,
              "fidelity": "full", "mounter": os.getuid(), "cache": "kernel", "gpu": "off",
              "allow_other": True, "allow_root": False, "noexec": False, "uid": 7,
              "gid": os.getgid(), "fmask": "0022", "dmask": "0000", "download_limit": 1 << 30,
              "download_latency": 0,
              "max_read": 1 << 20, "fsname": store, "subtype": "lodfs"}
    for key, value in wanted.items():
        if said.get(key) != value:
            yield f"{key}: {said.get(key)}, not {value}"


def command(point):
    document = json.loads(lodfs("stats", "--json", point).stdout)
    if set(document) != set(stats_of(point)):
        yield f"--json has {sorted(document)}"
    text = lodfs("stats", point).stdout.decode()
    if re.search("[ \t]$", text, re.MULTILINE):
        yield "blanks at the end of a line"
    listed, section = set(), None
    for cells in (re.split(" {2,}", line) for line in text.splitlines()):
        section = cells[1] if len(cells) == 4 else section
        listed.update([(section, cells[-2])] if len(cells) in (3, 4) else [])
    for part, values in document.items():
        by_kind = part == "read_bytes" or part.startswith("request")
        for key, value in values.items() if isinstance(values, dict) else []:
            words = re.sub(" seconds$", "", key.replace("_", " "))
            silent = value == "" or (part == "advice" and values["name"] == "none")
            if not by_kind and ((part, words) in listed) == silent:
                yield f"the table: {part} {words}"
            if by_kind and value and not re.search(rf"^ +{key} ", text, re.MULTILINE):
                yield f"the table lacks {key} of {part}"
    for words, code in ((("/",), 1), ((f"{point}/q1",), 1), ((), 2), (("--nonsense", point), 2)):
        done = lodfs("stats", *words, check=False)
        if done.returncode != code or not done.stderr:
            yield f"stats {words}: exit {done.returncode}"


def tools(point):
    """What people run on a whole mount ends well."""
    for words in (["find", point, "-type", "f"], ["du", "-s", point], ["ls", "-lR", point],
                  ["tar", "-cf", "/dev/null", "-C", point, "auto", "q1", ".lodfs/config"],
                  ["cp", "-r", f"{point}/auto/", f"{point}-copy"],
                  ["diff", "-r", f"{point}/auto/", f"{point}-copy"]):
        done = subprocess.run(words, capture_output=True, check=False, timeout=60)
        if done.returncode:
            yield f"{' '.join(words)}: exit {done.returncode}: {done.stderr[:300]}"
        if words[0] == "find" and b"/.lodfs/stats" not in done.stdout:
            yield "find does not see .lodfs"


def failing(store, point):
    """Requests to a store that fails are counted by how they ended."""
    copy = f"{store}-cut"
    shutil.copytree(store, copy)
    with Mount(copy, point, "-o", "cache=none"):
        paths = [os.path.join(os.fsencode(f"{point}/full"), name)
                 for name in files_below(f"{point}/full")]
        for path in paths:
            read(path)  # opens every record
        for name in os.listdir(f"{copy}/records"):
            os.truncate(f"{copy}/records/{name}", os.stat(f"{copy}/records/{name}").st_size // 2)
        before = stats_of(point)["store"]
        failed = 0
        for path in paths:
            try:
                read(path.replace(b"/full/", b"/original/"))
            except OSError:
                failed += 1
        after = stats_of(point)["store"]
        if not failed or after["failed"] <= before["failed"]:
            yield f"{failed} files cannot be read, {after['failed']} requests failed"
        text = read(f"{point}/.lodfs/metrics").decode()
        counts = dict(re.findall(r'lodfs_backend_requests_total\{code="([a-z]+)"\} (\d+)', text))
        if int(counts["eio"]) != after["failed"] or int(counts["ok"]) < 1:
            yield f"by code: {counts}, failed {after['failed']}"
    shutil.rmtree(copy)


def rights(store, point):
    # A copy: the checkout may lie where nobody may not go.
    program = shutil.copy(os.environ["LODFS"], os.path.join(os.path.dirname(store), "program"))

    def nobody(*words):
        return subprocess.run([program, *words], user=NOBODY, group=NOBODY, extra_groups=[],
                              capture_output=True, check=False, timeout=20)

    with Mount(store, point, "-o", f"allow_other,uid={NOBODY}"):
        for words in (("set", point, "auto=q1"), ("stats", point)):
            done = nobody(*words)
            if done.returncode != 1 or b"not permitted" not in done.stderr:
                yield f"{words} by nobody: exit {done.returncode}, {done.stderr}"
        if os.readlink(f"{point}/auto") != "full":
            yield "nobody switched auto"
        if os.stat(f"{point}/.lodfs/control").st_uid != os.getuid():
            yield "control is not its mounter's"


def neighbours(store, point, log):
    """Fresh counters cost the files of the dataset nothing."""
    with Foreground(store, point, log, "-d"):
        paths = [os.path.join(os.fsencode(f"{point}/q2"), n) for n in files_below(f"{point}/q2")]
        for path in paths:
            read_plainly(path)
        before = count(log)
        for path in paths:
            os.stat(path)
            read_plainly(path)
        sent = count(log) - before
        if sent:
            yield f"a warm pass sent {dict(sent)}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        with Mount(store, point, "-o", OPTIONS):
            results.add("what .lodfs shows", listing(point))
            results.add("fresh at every read", fresh(point))
            results.add("counts", counted(point))
            results.add("metrics", metrics(point))
            results.add("durations", durations(point))
            if shutil.which("promtool"):
                results.add("promtool takes the metrics", promtool(point))
            else:
                print("SKIP: promtool (package prometheus) is not there")
            try:
                results.add("Prometheus' parsers take the metrics", parsed(point))
            except ImportError as error:
                print(f"SKIP: {error} (python3-prometheus-client)")
            results.add("config", config(store, point))
            results.add("lodfs stats", command(point))
            results.add("find, du, ls, tar, cp", tools(point))
        results.add("a store that fails", failing(store, point))
        results.add("files of the dataset stay cached", neighbours(store, point, f"{work}/log"))
        if os.geteuid() == 0:
            results.add("rights", rights(store, point))
        else:
            print("SKIP: rights of other users need root")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
