# SPDX-License-Identifier: Apache-2.0
"""Bugs of stores behind URLs and of push; plants.py says what a plant is."""

REMOTE = (
    ("push sends the manifest before the objects", "src/push/push.c",
     "    error = error == -ENOENT ? send_objects(work, why) : error;\n",
     "    error = error == -ENOENT ? send_manifest(work, manifest, why) : error;\n"
     "    error = error ? error : send_objects(work, why);\n", "remote-push_store"),
    ("push replaces objects", "fs/store/remote/upload.c", "headers[] = {CREATE_ONLY, mark, NULL};",
     "headers[] = {mark, NULL};", "remote-push_store"),
    ("a process with keys leaves cores", "fs/store/remote/s3.c", "prctl(PR_SET_DUMPABLE, 0);",
     "prctl(PR_SET_DUMPABLE, 1);", "remote-s3_store"),
    ("late requests are not asked twice", "fs/store/http/http_late.c",
     "return late->after_ns && now_ns", "return late->after_ns > 1ull << 62 && now_ns",
     "remote-late_store"),
    ("a child of credential_process goes on", "fs/store/keys/s3_process.c",
     "    kill(-pid, SIGKILL);", "    kill(pid, SIGKILL);", "remote/s3_process"),
    ("delays of requests never overlap", "fs/store/backend/slow.c",
     "return bucket->slow.parallel ? bucket->slow.parallel : 1;", "(void)bucket;\n    return 1;",
     "store/slow"),
)
