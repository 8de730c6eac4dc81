/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs info STORE: counts files and the bytes of every fidelity. Reads only index and manifest. */
#include "output/info_report.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"

static const struct lod_option info_options[] = {
    LOD_ROW_VERBOSE(
        LOD_FIELD(struct lod_info, verbose),
        "also print q1 .. q10 of each quantisation class, and all files stored whole or in no "
        "sample"),
    LOD_ROW_JSON(LOD_FIELD(struct lod_info, json)),
    LOD_ROW_STORE_WORDS(LOD_FIELD(struct lod_info, words)),
    LOD_ROW_OPERAND(LOD_FIELD(struct lod_info, store), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int show(struct lod_info *info)
{
    int error = lod_store_facts_collect(info->dataset, &info->facts);

    if (!error) {
        error =
            lod_sample_totals_find(info->facts.index, info->json || info->verbose, &info->samples);
        if (!error) {
            error = info->json ? lod_info_print_json(info) : lod_info_print(info);
        }
        lod_sample_totals_finish(&info->samples);
        lod_store_facts_finish(&info->facts);
    }
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
             "in shards; raw other files, compressed where that pays. An item is stored once: "
             "equal files share "
             "one item, and a table has several.",
    .options = info_options,
    .run = run,
};
