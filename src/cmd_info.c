/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs info STORE: what a store holds and what its fidelities cost, from the index alone. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "info.h"
#include "open_store.h"
#include "usage.h"

static const struct option long_options[] = {
    {"json", no_argument, NULL, 'J'},
    {"verbose", no_argument, NULL, 'v'},
    {0},
};

static const char help_text[] =
    "Says what a store holds: files, codecs, records, the bytes of every fidelity\n"
    "and the MSSIM (likeness to the full image, 1 is equal) measured when it was\n"
    "packed. Codecs: pcr, JPEGs in scan groups; l3, lossless images in patches; toc,\n"
    "tables in shards; raw, files as they are. An item is what is stored once: equal\n"
    "files are one, a table several.\n"
    "\n"
    "  -v, --verbose   also q1 .. q10 of every quantisation class, and all files\n"
    "                  stored whole\n"
    "      --json      one JSON document\n";

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
            continue; /* beside its table, which counts */
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

    error = error ? error : lod_tally_add(&info->tally, codec, row, info->names[number]);
    if (!error && (lod_row_flags(row) & LOD_ITEM_WHOLE)) {
        error = remember_whole(info, row);
    }
    return error;
}

static int tally_records(struct lod_info *info)
{
    struct lod_recd recd;
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

static int parse(struct lod_info *info, int argc, char **argv)
{
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":v", long_options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            return lod_usage_option("info", option, argv);
        }
        info->json = info->json || option == 'J';
        info->verbose = info->verbose || option == 'v';
    }
    if (argc - optind != 1) {
        fputs("lodfs: info takes one STORE; see lodfs info --help\n", stderr);
        return LOD_EXIT_USAGE;
    }
    info->store = argv[optind];
    return LOD_EXIT_OK;
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
    int code = parse(&info, argc, argv);

    if (code == LOD_EXIT_OK) {
        code = lod_open_store(info.store, &info.dataset);
    }
    if (code == LOD_EXIT_OK) {
        code = show(&info);
        lod_dataset_close(info.dataset);
    }
    return code;
}

const struct lod_cmd lod_cmd_info = {.name = "info",
                                     .usage = "[-v] [--json] STORE",
                                     .summary = "say what a store holds, fidelity by fidelity",
                                     .help = help_text,
                                     .run = run};
