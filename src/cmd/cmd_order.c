/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs order STORE|MOUNT: the order in which a training job reads the pictures of a store, as a
 * list for programs that take one. order_print.c prints it.
 */
#include <errno.h>

#include "index/manifest.h"
#include "output/order_print.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"

#define FIELD(member) LOD_FIELD(struct lod_order_list, member)

static const char *const formats[] = {"paths", "lst", "records", NULL};
static const char *const tails[] = {"drop", "wrap", NULL};

static const struct lod_option order_options[] = {
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(split), 0, "split", "FOLDER", 0,
                 "only the pictures below this folder of the source"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(seed), 0, "seed", "N", 0, LOD_SEED_MAX,
                   "seed of the order (default 0)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(pass), 0, "pass", "N", 0, UINT32_MAX - 1,
                   "the epoch, from 0 (default)"),
    LOD_ROW_FLAG(FIELD(stored), 0, "stored", "not shuffled: in the order of the store"),
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_ORIGINAL,
                     "fidelity that the job reads (default q4): it sets the length of a run"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(run_bytes), 0, "run", "SIZE", 1, (uint64_t)1 << 50,
                   "bytes that are shuffled as a whole (default 96M)"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(rank), 0, "rank", "K/N", 0,
                 "only the pictures of process K of N, from 0"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(nodes), 0, "nodes", "N", 1, LOD_NODES_OF_JOB_MAX,
                   "machines with a mount each: each reads its own part (default 1)"),
    LOD_ROW_CHOICE(
        FIELD(tail), "tail", tails,
        "pictures that cannot be divided evenly are left out (default), or some come twice"),
    LOD_ROW_CHOICE(FIELD(format), "format", formats,
                   "paths, one a line (default); lst: number, label and path; records: the records "
                   "of the store"),
    LOD_ROW_FLAG(FIELD(nul), '0', "null", "end each path with a NUL instead of a newline"),
    LOD_ROW_STORE_WORDS(FIELD(words)),
    LOD_ROW_OPERAND(FIELD(store), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int parse_rank(struct lod_order_list *list)
{
    if (!list->rank) {
        list->world = list->nodes;
        return list->nodes > 1
                   ? lod_arguments_refuse(&lod_cmd_order, "--nodes also needs --rank=K/N")
                   : LOD_EXIT_OK;
    }
    int code = lod_arguments_rank(&lod_cmd_order, list->rank, LOD_NODES_OF_JOB_MAX,
                                  &list->rank_number, &list->world);
    if (!code && list->world % list->nodes) {
        return lod_arguments_refuse(&lod_cmd_order, "%u processes cannot be divided by --nodes=%u",
                                    list->world, list->nodes);
    }
    return code;
}

static int order_failed(const struct lod_order_list *list, int error)
{
    switch (error) {
    case -ENOENT:
    case -ENOTDIR:
        return lod_fail(LOD_EXIT_FAILED, "'%pE': there is no folder '%pE' in this store",
                        list->store, list->split);
    case -ENODATA:
        return lod_fail(LOD_EXIT_FAILED, "'%pE': there is no picture in %s%pE", list->store,
                        *list->split ? "its folder " : "it", list->split);
    default:
        return lod_store_failed(list->store, error);
    }
}

static int print_order(struct lod_order_list *list)
{
    struct lod_read_order *order = NULL;
    int error = lod_read_order_create(list->dataset, list->split, list->seed, &order);

    if (!error) {
        error = lod_order_print(list, order);
        lod_read_order_destroy(order);
    }
    return error ? order_failed(list, error) : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct lod_order_list list = {
        .split = "", .fidelity = 4, .run_bytes = (uint64_t)96 << 20, .nodes = 1};
    int code = lod_arguments_parse(&lod_cmd_order, argc, argv, &list);

    code = code ? code : parse_rank(&list);
    code = code ? code : lod_open_store(list.store, &list.words, &list.dataset);
    if (code == LOD_EXIT_OK) {
        code = print_order(&list);
        lod_dataset_close(list.dataset);
    }
    return code;
}

const struct lod_cmd lod_cmd_order = {
    .name = "order",
    .summary = "print the shuffled order of an epoch, for a training job",
    .about = "Prints the pictures of a store in the order in which a job reads them fast: shuffled "
             "within runs of neighbouring records. The order follows from the store, --seed and "
             "--pass alone. Equal files are one picture, which is listed under the first of its "
             "names.",
    .options = order_options,
    .run = run,
};
