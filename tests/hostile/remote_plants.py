# SPDX-License-Identifier: Apache-2.0
"""Bugs of stores behind URLs, of push and of the tier; plants.py says what a plant is."""

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
    ("a slice that was doubted stays in the tier", "fs/store/tier/tier_io.c",
     "        if (drop(tier, key, part.n)) {\n",
     "        if (part.n > 1000 && drop(tier, key, part.n)) {\n", "tier"),
    ("bytes that came from the tier are offered to it", "fs/store/backend/io_buffer.c",
     "buffer->fresh = start + time.copied_bytes;", "buffer->fresh = start;", "store/io_buffer"),
    ("a tier is written before its bytes are counted", "fs/store/tier/tier_space.c",
     "    if (bytes > lod_tier_space_room(space)) {\n", "    if (!lod_tier_space_room(space)) {\n",
     "tier"),
    ("other users may use the folder of a tier", "fs/store/tier/tier_folder.c",
     "return st->st_mode & OTHERS ?", "return st->st_mode & S_ISVTX ?", "hostile-tier"),
)
