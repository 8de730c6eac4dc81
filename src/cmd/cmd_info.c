/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs info STORE: counts files and the bytes of every fidelity. Reads only index and manifest. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/info.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"

static const struct lod_option info_options[] = {
    LOD_ROW_VERBOSE(LOD_FIELD(struct lod_info, verbose),
                    "also print q1 .. q10 of each quantisation class, and all files stored whole"),
    LOD_ROW_JSON(LOD_FIELD(struct lod_info, json)),
    LOD_ROW_STORE_WORDS(LOD_FIELD(struct lod_info, words)),
    LOD_ROW_OPERAND(LOD_FIELD(struct lod_info, store), "STORE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int count_nodes(struct lod_info *info)
{
    struct lod_node node;
    int error = 0;

    info->names = calloc((size_t)lod_index_items(info->index) + 1, sizeof(info->names[0]));
    if (!info->names) {
        return -ENOMEM;
    }
    for (uint32_t n = 0; !error && n < lod_index_nodes(info->index); n++) {
        error = lod_index_node(info->index, n, &node);
        if (error) {
            break;
        }
        if (node.flags & LOD_NODE_VIRTUAL) {
            continue; /* a shard: its table is counted */
        }
        info->folders += S_ISDIR(node.mode) && n;
        info->symlinks += S_ISLNK(node.mode);
        info->aliases += S_ISREG(node.mode) && (node.flags & LOD_NODE_ALIAS);
        if (S_ISREG(node.mode)) {
            error = node.ref < lod_index_items(info->index) ? 0 : -EILSEQ;
            info->names[error ? 0 : node.ref]++;
        }
    }
    return error;
}

static int remember_whole(struct lod_info *info, const uint8_t row[LOD_ROW_BYTES])
{
    return LOD_LIST_ADD(&info->whole, lod_row_own_node(row));
}

static int tally_item(struct lod_info *info, const struct lod_codec *codec, uint32_t number)
{
    uint8_t row[LOD_ROW_BYTES];
    int error = lod_index_item(info->index, number, row);

    error = error ? error : lod_store_totals_add(&info->totals, codec, row, info->names[number]);
    if (!error && (lod_row_flags(row) & LOD_ITEM_WHOLE)) {
        error = remember_whole(info, row);
    }
    return error;
}

static int tally_records(struct lod_info *info)
{
    struct lod_record_desc recd;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(info->index); r++) {
        error = lod_index_record(info->index, r, &recd);
        if (error) {
            break;
        }
        info->record_bytes += recd.file_bytes;
        const struct lod_codec *codec = lod_codec_find(recd.codec);
        if (!codec) {
            return -EILSEQ;
        }
        for (uint32_t i = 0; !error && recd.codec != LOD_CODEC_TREE && i < recd.items; i++) {
            error = tally_item(info, codec, recd.first_item + i);
        }
    }
    return error;
}

static int show(struct lod_info *info)
{
    info->index = lod_dataset_index(info->dataset);
    info->manifest = lod_dataset_manifest(info->dataset);
    int error = count_nodes(info);
    error = error ? error : tally_records(info);
    if (!error) {
        error = info->json ? lod_info_print_json(info) : lod_info_print(info);
    }
    free(info->names);
    free(info->whole.at);
    return error ? lod_store_failed(info->store, error) : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct lod_info info = {0};
    int code = lod_arguments_parse(&lod_cmd_info, argc, argv, &info);

    if (code == LOD_EXIT_OK) {
        code = lod_open_store(info.store, &info.words, &info.dataset);
    }
    if (code == LOD_EXIT_OK) {
        code = show(&info);
        lod_dataset_close(info.dataset);
    }
    return code;
}

const struct lod_cmd lod_cmd_info = {
    .name = "info",
    .summary = "print the contents of a store and the cost of each fidelity",
    .about = "Prints the numbers of files, codecs and records. For each fidelity it prints the "
             "bytes, the MSSIM, and the decoding time relative to the source, which a model "
             "estimates. MSSIM is the similarity to the full image, 1 if equal. pack measures it "
             "on a sample; `within` is its margin of error.\n\n"
             "Codecs: pcr stores JPEGs in scan groups; l3 lossless images in patches; toc tables "
             "in shards; raw other files as they are. An item is stored once: equal files share "
             "one item, and a table has several.",
    .options = info_options,
    .run = run,
};
