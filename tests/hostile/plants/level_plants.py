# SPDX-License-Identifier: Apache-2.0
"""Bugs of levels, the lower fidelities of lossless images; all_plants.py says what a plant is."""

LEVELS = (
    ("levels may take more than 1/11 of the image", "codecs/l3/container/level_rules.c",
     "groups_bytes(row) * LOD_L3_LEVEL_SHARE <= row->stream", "groups_bytes(row) <= row->stream",
     "l3/levels"),
    ("a flat image gets levels", "codecs/l3/levels_write.c",
     "    return equal * ALL_PARTS >=", "    return equal * ALL_PARTS > UINT32_MAX +", "l3/levels"),
    ("an image with a transparent colour gets levels", "codecs/l3/l3_write.c",
     "    if (job->parsed.transparent) {", "    if (job->parsed.transparent && !job->samples) {",
     "cli-levels"),
    ("pixels of a level may hold the magic word", "codecs/l3/levels.c",
     "        lod_word_free_row(samples, stride);\n", "", "l3/levels"),
    ("checksums of a level may be the magic word", "codecs/l3/container/png_stored.c",
     "        if (!lod_word_in(tail, LOD_PNG_SUMS_BYTES, offset + stored->bytes)) {",
     "        if (offset + 1) {", "l3/word_free"),
    ("a level of a BMP has red for blue", "codecs/l3/levels.c",
     "        if (!row->container->plain(row)) {\n            turn(",
     "        if (!row->container) {\n            turn(", "levels"),
    ("q9 shows the exact image", "codecs/l3/container/level_rules.c",
     "#define LAST_SHOWN 9u", "#define LAST_SHOWN 8u", "mount-levels"),
    ("verify takes a damaged level for damage of the exact image", "codecs/l3/l3_make.c",
     "        return lod_l3_level_groups(form);\n", "        return 0xff;\n", "mount-levels"),
    ("equal files are one item though --levels names one of them", "src/pack/source/dedup.c",
     "compare_u64(lod_encoder_class(x->file->encoder),\n"
     "                                lod_encoder_class(y->file->encoder));",
     "compare_u64(x->file->encoder->codec->id,\n"
     "                                y->file->encoder->codec->id);", "cli-levels"),
    ("a file gets levels though --levels does not name its hard link",
     "src/pack/source/level_files.c",
     "            list->at[link->owner].encoder = &lod_encoder_l3;\n", "            continue;\n",
     "cli-levels"),
    ("images with levels share records with masks", "src/pack/plan/order.c",
     "if (lod_encoder_class(file_at(o, i)->encoder) == class) {",
     "if (file_at(o, i)->encoder->codec->id == class / 2 && class % 2 == 0) {", "levels"),
    ("an order reads levels for the exact image", "fs/order/shown_groups.c",
     "#define EXACT_GROUP  8u", "#define EXACT_GROUP  1u", "fs/extents"),
)
