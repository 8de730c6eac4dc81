# SPDX-License-Identifier: Apache-2.0
"""
Bugs as people make them, each with the test that has to see it. A plant is (what, file, exact old
text, new text, test); the old text stands exactly once in its file, else planted.py says that the
plant is stale: look at what the code has become, and break that. QUICK ones are tried by `check`.
"""

QUICK = (
    ("a frame's hash is not checked", "fs/store/record.c",
     "return lod_hash64(data, bytes, seed) == hash_of(record, slot, group, frame);",
     "return data && seed != hash_of(record, slot, group, frame);",
     "hostile-segments"),
    ("a name may pass its block", "fs/store/rows.c",
     "offset + bytes <= LOD_BLOCK_PAYLOAD;", "offset + 1 <= LOD_BLOCK_PAYLOAD + bytes;",
     "hostile-attacks"),
    ("a name may be ..", "fs/store/name.c",
     "if (name[0] == '.' && (bytes == 1 || (bytes == 2 && name[1] == '.'))) {",
     "if (name[0] == '.' && bytes == 1) {",
     "hostile-attacks"),
    ("a hit is counted as one reference too few", "fs/cache.c",
     "    entry->touched = true;\n    *ret_blob = lod_blob_ref(entry->blob);\n",
     "    entry->touched = true;\n    *ret_blob = entry->blob;\n",
     "race-cache"),
)

HASHES = (
    ("an index block's hash is not checked", "fs/store/blocks.c",
     "        lod_get_le64(block + HASH_AT) != lod_hash64(block, HASH_AT, seed)) {",
     "        (seed && !lod_get_le64(block + HASH_AT))) {",
     "hostile-accidents"),
    ("metadata's hash is not checked", "fs/store/record.c",
     "lod_hash64(metadata, recd->metadata_bytes, recd->id.low) != recd->metadata_hash) {",
     "!metadata) {", "record"),
    ("a record's header is not checked", "fs/store/record_header.c",
     "lod_get_le64(header + HASH_AT) != lod_hash64(header, HASH_AT, id_low)) {",
     "!id_low) {", "metadata"),
    ("the seed of a frame is without its slot", "fs/store/record.c",
     "    lod_put_le32(place + 16, slot);\n", "    (void)slot;\n", "record"),
    ("the seed of a frame is without its record", "fs/store/record.c",
     "    lod_put_le64(place, record_id.low);\n    lod_put_le64(place + 8, record_id.high);\n",
     "    (void)record_id;\n", "rebuild-1"),
    ("a block of another section will do", "fs/store/blocks.c",
     "lod_get_le32(block + SECTION_AT) != section || ", "(section && 0) || ", "index_damage"),
)

OFFSETS = (
    ("a cut plan begins a byte late", "codecs/plan.c",
     "            piece.offset += offset;\n",
     "            piece.offset += offset + (offset > 0);\n",
     "plan"),
    ("a read of many frames begins where its first frame does", "fs/frame_parts.c",
     "        return parts->wanted[part->wanted].data + part->skip;\n",
     "        return parts->wanted[part->wanted].data;\n", "reader"),
    ("a segment begins where the one before it does", "fs/store/record.c",
     "return slot ? lod_record_tables_end(&record->tables, &record->recd, slot - 1, group) : 0;",
     "return slot > 1 ? lod_record_tables_end(&record->tables, &record->recd, slot - 2, group)"
     " : 0;",
     "record_groups"),
    ("the hash of the frame before", "fs/store/record.c",
     "    return lod_get_le64(record->tables.hashes + number * 8);\n",
     "    return lod_get_le64(record->tables.hashes + (number ? number - 1 : 0) * 8);\n", "record"),
    ("bands of a BMP from the bottom are counted from its top", "codecs/l3/l3_unit.c",
     "last - 1 - unit", "unit", "bmp_container"),
    ("a BMP's last band is as long as all others", "codecs/l3/plain_file.c",
     "r->out.bytes - above - lod_l3_output_band_bytes(&r->out, band)",
     "r->out.bytes - above - r->out.band_bytes", "bmp_container"),
    ("a PGM may end inside its pixels", "codecs/l3/plain_file_write.c",
     "row_bytes > (file.bytes - front) / height", "!row_bytes", "pnm_container"),
    ("rows of a block: one too many", "fs/store/index.c",
     "number / a_block, number % a_block * kind->bytes, row,",
     "number / (a_block + 1), number % (a_block + 1) * kind->bytes, row,", "index"),
)

BOUNDS = (
    ("a section may end behind the file", "fs/store/superblock.c",
     "blocks > file_blocks - first || ", "", "index_damage"),
    ("a child may stand before its folder", "fs/store/rows.c",
     "node->ref > node->number &&\n", "node->ref != node->number &&\n", "hostile-attacks"),
    ("a group may hold more than its segments", "fs/store/record_tables.c",
     "    if (memcmp(sums, recd->group_bytes, sizeof(sums)) != 0) {\n        return -EILSEQ;\n"
     "    }\n", "", "record"),
    ("metadata of any size", "fs/store/rows.c",
     " || recd->metadata_bytes > LOD_RECORD_META_MAX ||", " ||", "rows"),
    ("a manifest of any number of values", "fs/store/manifest.c",
     "    return bytes <= LOD_MANIFEST_BYTES_MAX && !too_many_values(text, bytes);\n",
     "    return bytes <= LOD_MANIFEST_BYTES_MAX && (text || !too_many_values(text, bytes));\n",
     "manifest"),
    ("rebuilding writes past its room", "codecs/pcr/exact_run.c",
     "    if (bytes > r->room - r->at) {\n", "    if (bytes > r->room) {\n", "exact"),
    ("a padding block of any number of coefficients", "codecs/pcr/padding.c",
     "        if (k >= LOD_JPEG_BLOCK || value", "        if (k > 255 || value", "exact"),
    ("a length that only the index has is believed", "fs/making.c",
     "    int error = check_lengths(making, &input->plan);\n",
     "    int error = 0 && check_lengths(making, &input->plan);\n", "made"),
    ("verify takes right hashes for all", "fs/verify/check_record.c",
     "    return error || c->verify->hashes_only ? error : lod_record_check_forms(c, low, high);\n",
     "    return error + 0 * (int)(low + high);\n", "hostile-attacks"),
    ("verify does not look into shards", "codecs/toc/table_codec.c",
     "    return t.shard ? check_shard(&t, stored) : check_header(&t, stored);\n",
     "    return t.shard ? 0 * check_shard(&t, stored) : check_header(&t, stored);\n",
     "hostile-attacks"),
)

CACHES = (
    ("a failed fill is published as good", "fs/cache.c",
     "    entry->state = entry->error ? LOD_BAD : LOD_READY;\n",
     "    entry->state = LOD_READY;\n", "race-cache"),
    ("two threads make the same key", "fs/cache.c",
     "    while (entry->state == LOD_MAKING && !late) {\n", "    while (0) {\n", "race-cache"),
    ("eviction does not look for users of the table", "fs/cache.c",
     "    pthread_mutex_lock(&shard->lock);\n    entry->error = error;\n",
     "    entry->error = error;\n", "race-cache"),
    ("the key of a frame is without its group", "fs/fetch.c",
     "        .low = (uint64_t)group << KEY_GROUP_AT | number,\n",
     "        .low = (uint64_t)(group > 12) << KEY_GROUP_AT | number,\n", "reader"),
    ("what came in a prefix is not checked", "fs/frames.c",
     "    if (!atomic_load_explicit(&entry->checked, memory_order_acquire)) {\n",
     "    if (entry->chunk == NULL) {\n", "stream"),
)

WRITING = (
    ("the manifest is written under its own name", "fs/store/manifest_write.c",
     "    int error = lod_file_create(dir_fd, TMP_NAME, &fd);\n",
     "    int error = lod_file_create(dir_fd, LOD_MANIFEST_NAME, &fd);\n"
     "    (void)!linkat(dir_fd, LOD_MANIFEST_NAME, dir_fd, TMP_NAME, 0);\n",
     "hostile-failing-pack"),
    ("the index is written behind the manifest", "src/pack/commit.c",
     "    return error ? error : lod_manifest_commit(c->target->fd);\n",
     "    error = error ? error : lod_manifest_commit(c->target->fd);\n"
     "    return error ? error : write_index(c, ret_bad);\n", "hostile-failing-pack"),
    ("nothing is fsynced", "fs/store/file_io.c",
     "    while (fsync(fd) < 0) {\n", "    while (fd < 0) {\n", "hostile-failing-pack"),
    ("a failed write is none", "fs/store/file_io.c",
     "        if (put < 0 && errno != EINTR) {\n            return -errno;\n",
     "        if (put < 0 && errno != EINTR) {\n            return 0;\n", "hostile-failing-pack"),
    ("an interrupted read is an error", "fs/store/file_io.c",
     "        if (got < 0 && errno != EINTR) {\n", "        if (got < 0) {\n",
     "hostile-failing-readers"),
    ("a record of an earlier run is kept unread", "src/pack/keep.c",
     "        error = lod_record_read_frame(record, slot, group, i, frame);\n",
     "        error = frame && record ? 0 : -EIO;\n", "cli-resume"),
    ("repair leaves out what cannot be opened now", "fs/repair/salvage.c",
     "    case -EMFILE:\n", "", "hostile-failing-repair"),
    ("a kept record's files have no reasons of their own", "src/pack/keep.c",
     "            lod_encode_explain(job, job->files[slot]);\n", "", "cli-resume"),
    ("two packs may write to one folder", "src/pack/target.c",
     "if (flock(target->fd, LOCK_EX | LOCK_NB) == 0) {", "if (target->fd >= 0) {", "cli-refuse"),
)

PLACES = (
    ("a store's files may be links", "fs/store/dir.c",
     "    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;\n",
     "    const int flags = O_RDONLY | O_CLOEXEC;\n", "store"),
    ("a name may hold a slash", "fs/store/name.c",
     "    return !memchr(name, '/', bytes) && ", "    return ", "unpack"),
    ("coefficients may differ behind the first component", "codecs/pcr/jpeg_planes.c",
     "        same = same_component(a, b, c); /* of planes of one shape */\n",
     "        same = c > 0 || same_component(a, b, c);\n", "jpeg_io"),
    ("a scan may say more than its band has", "codecs/pcr/entropy_read.c",
     "            if (k > last) {\n", "            if (k > 99) {\n", "scans_read"),
    ("a refined scan is coded one bit off", "codecs/pcr/entropy.c",
     "            c->correction[c->corrections++] = magnitude >> s->low & 1;\n",
     "            c->correction[c->corrections++] = magnitude >> (s->low + 1) & 1;\n",
     "scans_write"),
    ("what is cut short is read as far as it goes", "fs/store/dir.c",
     "    return lod_file_pread(file->fd, offset, into, bytes);\n",
     "    int error = lod_file_pread(file->fd, offset, into, bytes);\n"
     "    return error == -EIO ? 0 : error;\n", "store"),
    ("a search ends at a damaged row", "fs/store/search.c",
     "    return gap ? gap : -ENOENT;\n", "    return -ENOENT + 0 * gap;\n", "hostile-accidents"),
)

ALL = QUICK + HASHES + OFFSETS + BOUNDS + CACHES + WRITING + PLACES
