# SPDX-License-Identifier: Apache-2.0
"""Bugs in compressed files, for all_plants.py."""

RAW = (
    ("a read of made bytes counts as one of no groups", "fs/frames/frame_parts.c",
     "    if (!ret_parts->wanted_count) {\n", "    if (!ret_parts) {\n", "read/prefetch_policy"),
    ("a thread is woken for a record that is loaded", "fs/frames/prefetch_threads.c",
     "if (lod_prefetch_has_lists(prefetch) || are_loaded(prefetch, item->recd.number, groups)) {",
     "if (lod_prefetch_has_lists(prefetch) || !are_loaded(prefetch, UINT32_MAX, groups)) {",
     "read/prefetch_loads"),
    ("bytes behind the last unit of a compressed file are accepted", "codecs/raw_units.c",
     " || (last && end != r->stored)", " || (last && end > r->stored)", "codecs/raw_units"),
    ("a frame behind the frame of a unit is accepted", "codecs/raw_units.c",
     "ZSTD_findFrameCompressedSize(frame.at, frame.bytes) != frame.bytes", "!bytes",
     "codecs/raw_units"),
    ("two threads decode frames with one decoder", "codecs/raw_units.c",
     "atomic_exchange(&spare_decoders[i], NULL);", "atomic_load(&spare_decoders[i]);", "race-raw"),
    ("the list of folders may be compressed", "codecs/raw.c",
     "== LOD_RAW_PLAIN ? segments(row, ret_bytes)", "!= 9 ? segments(row, ret_bytes)",
     "codecs/raw_units"),
    ("pack keeps the bytes of a file that is left out", "src/pack/record/raw_hold.c",
     "        job->groups[0].bytes = before;\n", "        (void)before;\n", "cli-import-tfrecord"),
    ("a file that ends with a hole is short", "src/unpack/hole_write.c",
     "return hole && ftruncate", "return hole && fd < 0 && ftruncate", "cli-unpack"),
    ("unpack writes zeros where the source has holes", "src/unpack/hole_write.c",
     "bytes[0] == 0 &&", "bytes[0] == 1 &&", "cli-unpack"),
    ("pack loses the place of files that it holds", "src/pack/record/copy.c",
     "    *at += bytes;\n", "    *at += bytes - (bytes > 100);\n", "rebuild-1"),
)
