# SPDX-License-Identifier: Apache-2.0
"""Bugs of samples and framed files; plants.py says what a plant is."""

SAMPLES = (
    ("a label of the user's own is written twice", "fs/store/framing/tar_framing.c",
     'memcmp(file->name + sample->stem_bytes, ".cls", 4) == 0',
     'memcmp(file->name + sample->stem_bytes, ".cls", 4) > 0', "store/tar_framing"),
    ("a picture outside of splits is passed over", "fs/store/sample/sample_split.c",
     "        *ret_splits = false;\n", "        *ret_splits = true;\n", "store/sample_group"),
    ("a run of 34 names is a sample", "fs/store/sample/sample_group.c",
     "run->too_long = run->end - run->first > LOD_FRAMED_FILES_MAX;",
     "run->too_long = run->end - run->first > LOD_FRAMED_FILES_MAX + 1;", "store/sample_group"),
    ("verify compares half of a row of samples", "fs/store/verify/check_samples.c",
     "memcmp(row, made->rows + (size_t)number * sizeof(row), sizeof(row)) == 0",
     "memcmp(row + 4, made->rows + (size_t)number * sizeof(row) + 4, 4) == 0", "fs/verify"),
    ("a record may hold two splits", ("src/pack/plan/order.c", "src/pack/plan/order.c"),
     ("o->places[i].split != o->places[i - 1].split ||",
      "filling.open && o->places[i].split == o->places[i - 1].split;"),
     ("o->places[i].split + 1 < o->places[i - 1].split ||", "filling.open;"), "src/order"),
    ("a picture's checksum in a TFRecord file leaves out what stands before it",
     "fs/shard/shard_read.c", "stretch->head_bytes - stretch->sum_from);",
     "stretch->head_bytes - stretch->head_bytes);", "mount-tfrecord_files"),
    ("the files of a tar begin a byte late", "fs/shard/shard_read.c",
     "    *ret_skip = from - at;\n", "    *ret_skip = from - at + (from > at);\n",
     "mount-tar_files"),
)
