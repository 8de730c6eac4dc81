# SPDX-License-Identifier: Apache-2.0
"""MOUNT/.lodfs and `lodfs stats`: counters are fresh at every read, files have a fixed size, and
each file is readable by the users that may see it."""
import errno
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from requests import count, read_plainly
from small import SECONDS_MAX, Foreground, files_below, make_store, read, until

NOBODY = 65534
OPTIONAL = ["made", "ahead", "server", "tier", "advice"]  # parts that `lodfs stats` may leave out
NAMES = ["stats", "metrics", "openmetrics", "config", "control"]
OPTIONS = "threads=3,cache_size=32M,gpu=off,allow_other,uid=7,fmask=022,download_limit=1G"
LABEL = r'[a-z]+="[a-z0-9.+Inf-]+"'
LINE = re.compile(rf'lodfs_[a-z_]+(\{{{LABEL}(,{LABEL})*\}})? +[0-9.e+-]+')
HISTOGRAM = re.compile("_(bucket|sum|count)$")


def stats_of(point):
    return json.loads(read(f"{point}/.lodfs/stats"))


def listing(point):
    if sorted(os.listdir(f"{point}/.lodfs")) != sorted(NAMES):
        yield f".lodfs lists {os.listdir(f'{point}/.lodfs')}"
    for name in NAMES:
        path = f"{point}/.lodfs/{name}"
        shown = read(path)
        if len(shown) != os.stat(path).st_size:
            yield f"{name}: st_size {os.stat(path).st_size}, {len(shown)} bytes read"
        if b" " * 200 in shown and name != "openmetrics":
            yield f"{name} is padded with blanks"
    for tree in ("full", "q1", "original", "decoded/q3"):
        if os.path.exists(f"{point}/{tree}/.lodfs") or os.path.exists(f"{point}/{tree}/auto"):
            yield f"{tree} has a control file or auto among the files of the dataset"


def fresh(point):
    """The kernel caches no counters: each read sees the current state."""
    seen = stats_of(point)["requests"]["read"]
    for _ in range(5):
        now = stats_of(point)["requests"]["read"]
        if now <= seen:
            yield f"{now} read requests are counted, {seen} were before"
        seen = now
    for name in ("q1", "q7", "full"):
        lodfs("set", point, f"auto={name}")
        if stats_of(point)["auto"]["fidelity"] != name:
            yield f"auto={name}: the statistics say {stats_of(point)['auto']}"
        shown = read(f"{point}/.lodfs/openmetrics").decode()
        if f'lodfs_auto_info{{fidelity="{name}"}} 1' not in shown:
            yield f"auto={name}: the metrics name another fidelity"
    file = os.open(f"{point}/.lodfs/stats", os.O_RDONLY)
    parts = b"".join(iter(lambda: os.read(file, 100), b""))
    os.close(file)
    if json.loads(parts)["version"] != stats_of(point)["version"]:
        yield "stats that are read in small parts differ"


def counted(point):
    """The counters count the bytes and requests that were made."""
    before = stats_of(point)
    total = 0
    for name in files_below(f"{point}/q4"):
        path = os.path.join(os.fsencode(f"{point}/q4"), name)
        total += os.stat(path).st_size
        read_plainly(path)
    after = stats_of(point)
    if after["read_bytes"]["q4"] - before["read_bytes"]["q4"] != total:
        yield f"{total} bytes of q4 were read, {after['read_bytes']['q4']} are counted"
    if after["read_bytes"]["q5"] != before["read_bytes"]["q5"]:
        yield "bytes of q5 are counted, but none were read"
    if after["requests"]["readdirplus"] <= before["requests"]["readdirplus"]:
        yield "listings are not counted"
    if after["cache"]["misses"] <= before["cache"]["misses"]:
        yield "cache misses are not counted"
    for name, of in (("format_bytes", total), ("format_reads", 1)):
        if after[name]["tree"] - before[name]["tree"] < of or after[name]["tar"] != 0:
            yield f"{name}: {after[name]}"
    tar = f"{point}/tar/q4/{sorted(os.listdir(f'{point}/tar/q4'))[0]}"
    read_plainly(tar)
    read_plainly(tar)
    framed = stats_of(point)
    if framed["format_bytes"]["tar"] != os.stat(tar).st_size or not framed["format_reads"]["tar"]:
        yield f"a tar was read once past the page cache, {framed['format_bytes']} are counted"
    if framed["format_bytes"]["tree"] != after["format_bytes"]["tree"]:
        yield "bytes of a tar are counted as files of the tree"


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
                yield f"a line that is not a metric: {line!r}"
            elif name not in known:
                yield f"{line}: there is no TYPE line before it"
            elif (known[name] == "counter") != name.endswith("_total"):
                yield f"{line}: only counters end in _total, and its type is {known[name]}"
    for name in ("fuse_ops_total", "fuse_op_duration_seconds", "read_bytes_total",
                 "format_reads_total", "format_read_bytes_total", "backend_bytes_total",
                 "backend_requests_total", "backend_retries_total", "backend_hedges_total",
                 "backend_connects_total", "backend_first_byte_seconds", "backend_loads",
                 "backend_window_bytes", "load_wait_seconds", "cache_hits_total",
                 "cache_misses_total", "cache_bytes", "checksum_errors_total", "build_info"):
        if f"lodfs_{name}" not in known:
            yield f"lodfs_{name} is missing"
    if not text.endswith("\n"):
        yield "the last line has no newline"


def samples_of(text, parse):
    return {(s.name, *sorted(s.labels.items())): s.value for f in parse(text) for s in f.samples}


def parsers():
    """Returns Prometheus' own parser for each of the two files."""
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
            yield f"{name}: {total} reads, but {count} durations, {bucket} of them in buckets"
        if not 0 < samples[(f"{key}_sum", ("op", "read"))] < 60 * count:
            yield f"{name}: {count} reads took {samples[(key + '_sum', ('op', 'read'))]} s"
        if samples[("lodfs_backend_requests_total", ("code", "ok"))] < 1:
            yield f"{name}: no request to the store is counted as a success"


def promtool(point):
    done = subprocess.run(["promtool", "check", "metrics"], capture_output=True, check=False,
                          input=read(f"{point}/.lodfs/metrics"), timeout=SECONDS_MAX)
    if done.returncode:
        yield done.stderr[:2000].decode()


def durations(point):
    """Answered requests are in the histogram of durations."""
    before = stats_of(point)
    for _ in range(50):
        read(f"{point}/.lodfs/stats")
    after = stats_of(point)
    if after["request_seconds"]["read"] <= before["request_seconds"]["read"]:
        yield "50 reads added nothing to the time of reads"
    if not 0 < after["request_seconds_p50"]["read"] <= after["request_seconds_p99"]["read"]:
        yield (f"median {after['request_seconds_p50']}, "
               f"99th percentile {after['request_seconds_p99']}")


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
            yield f"{key} is {said.get(key)}, not {value}"


def unused(values):
    return not any(value for value in values.values() if not isinstance(value, str))


def command(point):
    document = json.loads(lodfs("stats", "--json", point).stdout)
    if set(document) != set(stats_of(point)):
        yield f"--json has other parts than .lodfs/stats: {sorted(document)}"
    text = lodfs("stats", point).stdout.decode()
    if re.search("[ \t]$", text, re.MULTILINE):
        yield "a line ends in blanks"
    listed, section = set(), None
    for cells in (re.split(" {2,}", line) for line in text.splitlines()):
        section = cells[1] if len(cells) == 4 else section
        listed.update([(section, cells[-2])] if len(cells) in (3, 4) else [])
    for part, values in document.items():
        by_kind = part == "read_bytes" or part.startswith(("request", "format_"))
        for key, value in values.items() if isinstance(values, dict) else []:
            words = re.sub(" seconds$", "", key.replace("_", " "))
            silent = value == "" or (part in OPTIONAL and unused(values))
            if not by_kind and ((part, words) in listed) == silent:
                yield f"the table {'shows' if silent else 'does not show'} {part} {words}"
            if by_kind and value and not re.search(rf"^ +{key} ", text, re.MULTILINE):
                yield f"the table does not show {key} of {part}"
    for words, code in ((("/",), 1), ((f"{point}/q1",), 1), ((), 2), (("--nonsense", point), 2)):
        done = lodfs("stats", *words, check=False)
        if done.returncode != code or not done.stderr:
            yield f"stats {words}: exit {done.returncode}"


def tools(point):
    """Common tools succeed on a whole mount."""
    for words in (["find", point, "-type", "f"], ["du", "-s", point], ["ls", "-lR", point],
                  ["tar", "-cf", "/dev/null", "-C", point, "auto", "q1", ".lodfs/config"],
                  ["cp", "-r", f"{point}/auto/", f"{point}-copy"],
                  ["diff", "-r", f"{point}/auto/", f"{point}-copy"]):
        done = subprocess.run(words, capture_output=True, check=False, timeout=SECONDS_MAX)
        if done.returncode:
            yield f"{' '.join(words)}: exit {done.returncode}: {done.stderr[:300]}"
        if words[0] == "find" and b"/.lodfs/stats" not in done.stdout:
            yield "find does not list .lodfs/stats"


def failing(store, point):
    """Requests to a store that fails are counted by their error codes."""
    copy = f"{store}-cut"
    shutil.copytree(store, copy)
    with Mount(copy, point, "-o", "cache=none"):
        paths = [os.path.join(os.fsencode(f"{point}/q1"), name)
                 for name in files_below(f"{point}/q1")]
        for path in paths:
            read(path)  # opens every record
        for name in os.listdir(f"{copy}/records"):
            os.truncate(f"{copy}/records/{name}", os.stat(f"{copy}/records/{name}").st_size // 2)
        before = stats_of(point)["store"]
        failed = 0
        for path in paths:
            try:
                read(path.replace(b"/q1/", b"/original/"))
            except OSError:
                failed += 1
        after = stats_of(point)["store"]
        if not failed or after["failed"] <= before["failed"]:
            yield f"{failed} files cannot be read, {after['failed']} failed requests are counted"
        counts = {}

        def agree():  # between the two reads a request ahead may fail
            text = read(f"{point}/.lodfs/metrics").decode()
            counts.update(re.findall(
                r'lodfs_backend_requests_total\{code="([a-z]+)"\} +(\d+)', text))
            return int(counts["eio"]) == stats_of(point)["store"]["failed"]

        if not until(agree) or int(counts["ok"]) < 1:
            yield f"requests by code: {counts}; {after['failed']} failed"
    shutil.rmtree(copy)


def tried(action, *arguments):
    try:
        return action(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]


def ask_store(point):
    """Returns the location of the store, by the ioctl LOD_IOC_STORE of fs/mount/control.h."""
    location = bytearray(4096)
    fcntl.ioctl(os.open(point, os.O_RDONLY), 2 << 30 | 4096 << 16 | ord("L") << 8 | 4, location)
    return location.rstrip(b"\0").decode()


def ask_all(program, point):
    """Returns the results of every request to the control files: each file read, `lodfs stats`,
    `lodfs set`, and the ioctl for the store's location."""
    said = {name: tried(lambda path: read(path).decode(), f"{point}/.lodfs/{name}")
            for name in NAMES}
    for words in (("stats", point), ("set", point, "auto=q1")):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                              timeout=SECONDS_MAX)
        said["lodfs " + words[0]] = [done.returncode, done.stdout, done.stderr]
    said["ioctl"] = tried(ask_store, point)
    return said


def as_nobody(action, *arguments):
    """Returns the result of action(*arguments) in a process of user 65534."""
    back, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with os.fdopen(there, "w") as out:
                json.dump(action(*arguments), out)
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(back) as said:
        text = said.read()
    os.waitpid(child, 0)
    return json.loads(text)


def rights(store, point):
    """Every user of the mount may read the counters. Only root and the mounter may read where the
    store is, and switch `auto`. The other user here is 65534."""
    # A copy, as that user may have no access to the folder of the build.
    program = shutil.copy(os.environ["LODFS"], os.path.join(os.path.dirname(store), "program"))
    for options in ("allow_other", f"allow_other,uid={NOBODY}", "allow_other,fsname=hidden"):
        with Mount(store, point, "-o", options):
            said = as_nobody(ask_all, program, point)
            for name in ("stats", "metrics", "openmetrics"):
                if "reads" not in said[name] or os.stat(f"{point}/.lodfs/{name}").st_uid:
                    yield f"{options}: another user reads in {name} {said[name][:60]!r}"
            for name in ("config", "control"):
                if said[name] != "EACCES":
                    yield f"{options}: another user reads in {name} {said[name][:60]!r}"
            if said["ioctl"] != "EPERM":
                yield f"{options}: LOD_IOC_STORE of another user gives {said['ioctl'][:80]!r}"
            if said["lodfs stats"][0] or "requests" not in said["lodfs stats"][1]:
                yield f"{options}: lodfs stats of another user prints {said['lodfs stats']}"
            code, out, _ = said.pop("lodfs set")
            if code != 1 or os.readlink(f"{point}/auto") != "full":
                yield f"{options}: another user switched auto: {code}, {out}"
            if store in json.dumps(said):
                yield f"{options}: another user is told where the store is"
    with Mount(store, point, "-o", f"allow_other,fsname=hidden,uid={NOBODY}"):
        if json.loads(read(f"{point}/.lodfs/config"))["store"] != store:
            yield "root cannot read the config"


def neighbours(store, point, log):
    """Although counters are not cached, files of the dataset are: a warm pass sends no request."""
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
            results.add(".lodfs lists its five files, each of the size of its text", listing(point))
            results.add("counters are fresh at every read", fresh(point))
            results.add("reads, listings and misses are counted", counted(point))
            results.add("metrics have types and the usual names", metrics(point))
            results.add("durations of requests are counted", durations(point))
            if shutil.which("promtool"):
                results.add("promtool accepts the metrics", promtool(point))
            else:
                print("SKIP: promtool (package prometheus) is not installed")
            try:
                results.add("Prometheus' parsers accept the metrics", parsed(point))
            except ImportError as error:
                print(f"SKIP: {error} (python3-prometheus-client)")
            results.add("config shows every option in force", config(store, point))
            results.add("lodfs stats shows every counter", command(point))
            results.add("find, du, ls, tar, cp and diff succeed", tools(point))
        results.add("failed requests to a store are counted", failing(store, point))
        results.add("files of the dataset stay cached", neighbours(store, point, f"{work}/log"))
        if os.geteuid() == 0:
            results.add("other users read counters only", rights(store, point))
        else:
            print("SKIP: checks with other users need root")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
