# SPDX-License-Identifier: Apache-2.0
"""Bugs in reading containers; see all_plants.py."""

CONTAINERS = (
    ("a member of a tar may end behind it", "src/pack/container/from_tar.c",
     "if (header.size > left - LOD_TAR_BLOCK) {", "if (header.size > left * 2) {",
     "src/from_tar"),
    ("a member may lie outside of the store", "src/pack/container/member_path.c",
     "if (bytes == 2 && memcmp(name, \"..\", 2) == 0) {",
     "if (bytes == 2 && memcmp(name, \"//\", 2) == 0) {", "src/member_path"),
    ("the sum of a record is not checked", "src/pack/source/place.c",
     "place->summed && sum != place->sum ? -EBADMSG", "place->summed && !sum ? -EBADMSG",
     "src/place"),
    ("a part without a beginning is a record", "src/pack/container/from_recordio.c",
     "if (first && flag > BEGIN) {", "if (first && flag > END) {", "src/from_recordio"),
    ("the sum of a record without members is not checked", "src/pack/container/from_tfrecord.c",
     "return error || sum == member->sum\n", "return error || sum != member->sum + 1\n",
     "src/from_tfrecord"),
    ("the checksum of a length is not checked", "src/pack/container/from_tfrecord.c",
     "if (lod_crc32c(0, at, LENGTH_BYTES) != unmasked(lod_get_le32(at + LENGTH_BYTES))) {",
     "if (lod_crc32c(0, at, LENGTH_BYTES) == unmasked(~lod_get_le32(at + LENGTH_BYTES))) {",
     "src/from_tfrecord"),
    ("folders are packed whatever --exclude says", "src/pack/source/walk.c",
     "lod_filter_why(w->how->filter, path, S_ISDIR(st.st_mode))",
     "lod_filter_why(w->how->filter, path, false)", "cli-exclude"),
    ("** at the end of a pattern matches nothing", "src/pack/source/filter.c",
     "            if (*glob == '\\0') {\n                return true;",
     "            if (*glob == '\\0') {\n                return false;", "src/filter"),
)
