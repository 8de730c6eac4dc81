# SPDX-License-Identifier: Apache-2.0
"""Bugs of packs in parts; see plants.py."""

PARTS = (
    ("a part makes its records under their names", "src/pack/parts/part_target.c",
     "    target->made_fd = ret_folder->fd;\n", "    target->made_fd = target->records_fd;\n",
     "hostile-kills-parts"),
    ("parts do not exclude each other", "src/pack/parts/part_target.c",
     "    lock->held = fcntl(lock->fd, F_OFD_SETLK, &range) == 0;\n",
     "    lock->held = range.l_len >= 0;\n", "cli-parts"),
    ("the commit does without a record", "src/pack/record/write.c",
     "write->written[job.number].missing = true;", "write->written[job.number].missing = false;",
     "cli-parts"),
    ("a part begins to write before it has looked at its files", "src/pack/pack_parts.c",
     "    error = lod_source_look(p->source_fd, source, p->options->follow);\n",
     "    error = p->source_fd < 0;\n", "cli-parts"),
    ("a plan keeps records that may be torn", "src/pack/pack_parts.c",
     "    if (!p->planned) { /*", "    if (p->planned) { /*", "cli-parts"),
    ("a plan of another pack is taken", "src/pack/pack_parts.c",
     "    if (error || journal != plan->journal) {\n", "    if (error) {\n", "cli-parts"),
    ("a path in a plan may be anything", "src/pack/parts/plan_sources.c",
     "!lod_path_valid(t->path, t->path_bytes)", "t->path_bytes > LOD_PATH_MAX", "replay-plan"),
    ("files of a plan may be in a record of another codec", "src/pack/parts/plan_sources.c",
     "t->sources.list.at[*file].encoder->codec != order->records[r].codec",
     "!t->sources.list.at[*file].encoder", "replay-plan"),
    ("a record begins in the part behind its own", "src/pack/parts/pack_part.c",
     "return part < parts ? (uint32_t)part + 1 : parts;",
     "return part + 1 < parts ? (uint32_t)part + 2 : parts;", "src/pack_part"),
)
