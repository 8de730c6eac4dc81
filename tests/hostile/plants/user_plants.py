# SPDX-License-Identifier: Apache-2.0
"""Bugs of services, variables, attributes, failures in JSON, rows in Python and damaged sources;
all_plants.py says what a plant is."""

USERS = (
    ("an abstract socket's address has a NUL at its end", "fs/fuse/service.c",
     "bytes + (*name == '/'));", "bytes + 1);", "mount-service"),
    ("the variable of a flag is not taken", "fs/option_env.c",
     "return *value == '1' ? lod_option_set(row, \"\", into) : 0;", "return 0;", "cli-usage"),
    ("attributes tell the sizes of another fidelity", "fs/fuse/xattr.c",
     "(unsigned long long)plan.bytes);", "(unsigned long long)asked->contents.bytes);",
     "mount-service"),
    ("-o setuid= keeps root's group", "fs/fuse/act_as.c",
     "setgid(found->pw_gid) ||", "found->pw_gid == 0xfffffffeu ||", "mount-users"),
    ("a mount of a folder lists the number of the folder above", "fs/fuse/subdir.c",
     "    if (is_root(ops, found)) {\n", "    if (!found) {\n", "mount-subdir"),
    ("handles lead out of a mount of a folder", "fs/fuse/ops.c",
     "    if (ops->root != LOD_INODE_ROOT) {", "    if (!ops->root) {", "mount-subdir"),
    ("a failure with --json is no document", "src/terminal/arguments.c",
     "    if (code && fail_as_json) {\n", "    if (code > 200 && fail_as_json) {\n",
     "cli-usage"),
    ("rows between the steps of a slice are unpacked", "src/python/lodfs/_rows.py",
     "            return self._gather(np.arange(start, stop, step))\n",
     "            return self._unpack(0, self.shape[0])[key]\n",
     "public-python"),
    ("a thread without memory ends the mount", "fs/fuse/loop.c",
     "            free(thread->buffer);\n",
     "            free(thread->buffer);\n            fuse_session_exit(loop->session);\n",
     "hostile-failing-mount"),
    ("a scan may take more room than the file has", "codecs/pcr/exact/rebuild_write.c",
     "    return end <= m->source.bytes;\n", "    return end > 0;\n", "pcr/rebuild_write"),
)
