/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of lodfs pack: its table of options, and checks that need several of them; see
 * pack_arguments.h. */
#include "cmd/pack_arguments.h"

#include <string.h>

#include "backend/name.h"
#include "index/manifest.h"
#include "l3/stream/l3_stream_write.h"
#include "pack/scans/scans.h"
#include "terminal/arguments.h"
#include "terminal/thread_count.h"
#include "toc/shard/toc.h"

#define KEY_MAX 255u /* bytes of --key */

#define FIELD(member) LOD_FIELD(struct lod_pack_arguments, member)
#define ROWS(member, name, help)                                                                   \
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(pack.tables.text.cut.member), 0, name, "N", 1,         \
                   LOD_TOC_ROWS_MAX, help)

static const char *const orders[] = {"shuffle", "path", NULL};
static const char *const originals[] = {"auto", "all", NULL};
static const char *const raws[] = {"zstd", "plain", NULL};
static const char *const symlinks[] = {"keep", "follow", NULL};
static const char *const fulls[] = {"source", "scans", NULL};
static const char *const scripts[] = {"auto", "light",  "lean",   "best", "default", "spectral",
                                      "fine", "medium", "coarse", "tidy", NULL};
static const char *const sources[] = {"folder", "tar", "tfrecord", "recordio", NULL};
static const char *const l3_modes[] = {
    [LOD_L3_SMALL] = "small", [LOD_L3_PACKED] = "packed", [LOD_L3_PAPER] = "paper", NULL};

const struct lod_option lod_pack_rows[] = {
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(pack.threads), 'j', "jobs", "N", 1,
                   LOD_POOL_THREADS_MAX,
                   "use N threads (default: one a processor); any N writes the same bytes"),
    LOD_ROW_CHOICE(FIELD(pack.order.by_path), "order", orders,
                   "order of the files in records. shuffle (default): a record is a random sample "
                   "of all files; path: the order of their paths"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(pack.order.seed), 0, "seed", "N", 0, LOD_SEED_MAX,
                   "seed of the shuffle (default 0)"),
    {.kind = LOD_OPTION_TEXT,
     .offers = LOD_NAMES_FILES,
     .field = FIELD(pack.scans_name),
     .name = "scans",
     .value = "SCANS",
     .words = scripts,
     .help = "how JPEGs are divided into scan groups. auto (default): the script with the fewest "
             "bytes for its quality, as measured on a sample; light: decoding time counts too; or "
             "the name of a script (lean, best, default, spectral, ..), or a file with one scan "
             "group a line"},
    LOD_ROW_CHOICE(FIELD(scans_alone), "full", fulls,
                   "source (default): JPEGs are kept as they are, beside their scan groups; full/ "
                   "and original/ show them. The store has about 1.3 times the bytes of the "
                   "source. scans: ten scan groups only, about .95 times the bytes; JPEGs in full/ "
                   "are progressive, and slow to decode"),
    LOD_ROW_FIDELITY(FIELD(pack.top), "top", LOD_Q10,
                     "with --full=source: the highest fidelity with a scan group, q1 to q10 "
                     "(default q5); higher fidelities show the source"),
    LOD_ROW_CHOICE(FIELD(pack.l3_mode), "l3", l3_modes,
                   "how lossless images are stored: small (default), packed (larger, decodes "
                   "several times as fast) or paper (as published)"),
    LOD_ROW_TEXT(
        LOD_OPTION_LIST, FIELD(pack.levels), 0, "levels", "GLOB", LOD_OPTION_LIST_MAX,
        "photographs in PNG, PPM, PGM and BMP files get lower fidelities too: 8 bits, gray "
        "or RGB. Masks and flat images among them stay exact, as q10 and full do. Not for "
        "measured values such as depth: GLOB alone tells these from photographs. It "
        "matches the name, or, if it has a slash, the path. May be given several times"),
    LOD_ROW_CHOICE(FIELD(pack.raw_plain), "raw", raws,
                   "how files are stored that are neither pictures nor tables. zstd (default): "
                   "compressed where that saves an eighth of a file; plain: as they are"),
    LOD_ROW_CHOICE(FIELD(pack.keep), "original", originals,
                   "auto (default): original/ has all files but PNGs stored as patches, of which "
                   "only pixels and metadata are exact. all: these PNG files are kept too, and "
                   "original/ has every file"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(pack.order.record_bytes), 0, "record-size", "SIZE",
                   LOD_RECORD_SIZE_MIN, LOD_RECORD_SIZE_MAX,
                   "bytes of source in a record (default 16M to 64M; K, M, G)"),
    LOD_ROW_CHOICE(FIELD(pack.follow), "symlinks", symlinks,
                   "keep (default): symbolic links stay links, and one that leaves SOURCE stops "
                   "pack; follow: links are replaced by the files and folders they point to"),
    LOD_ROW_TEXT(LOD_OPTION_LIST, FIELD(pack.filter.exclude), 0, "exclude", "GLOB",
                 LOD_OPTION_LIST_MAX,
                 "leave out these files, and these folders with all that is in them. GLOB matches "
                 "the name, or, if it has a slash, the path; ** stands for any folders, a slash at "
                 "the end for folders alone. May be given several times"),
    {.kind = LOD_OPTION_LIST,
     .offers = LOD_NAMES_FILES,
     .max = LOD_OPTION_LIST_MAX,
     .field = FIELD(exclude_from),
     .name = "exclude-from",
     .value = "FILE",
     .help = "the same for each line of FILE; lines that begin with # are comments"},
    LOD_ROW_TEXT(LOD_OPTION_LIST, FIELD(pack.filter.include), 0, "include", "GLOB",
                 LOD_OPTION_LIST_MAX,
                 "pack only files that match one of these patterns, and the folders they lie in. "
                 "--exclude leaves out files of these too"),
    LOD_ROW_CHOICE(FIELD(from), "from", sources,
                   "folder (default): SOURCE is a folder of files. tar, tfrecord, recordio: "
                   "such a file, or a folder of them, whose members are packed as the files of a "
                   "folder are, without unpacking them first; original/ has every file"),
    LOD_ROW_TEXT(
        LOD_OPTION_TEXT, FIELD(pack.key), 0, "key", "KEY", 0,
        "with --from=tfrecord: the feature that is the picture (default: image/encoded, or "
        "else image)"),
    {.kind = LOD_OPTION_TEXT,
     .offers = LOD_NAMES_FILES,
     .field = FIELD(pack.labels),
     .name = "labels",
     .value = "FILE",
     .help = "a file with the label of each picture, for tar/, recordio/ and tfrecord/: lines of a "
             "path in SOURCE, a tab and a number, or a list of im2rec. Without it a picture has "
             "the number of its class folder"},
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(pack.splits.text), 0, "splits", "A,B|none", 0,
                 "the folders in SOURCE whose pictures are files of their own in tar/, recordio/ "
                 "and tfrecord/, and are in no record together (default: train, val, test and "
                 "the like, if they have all pictures)"),
    LOD_ROW_TEXT(LOD_OPTION_LIST, FIELD(pack.tables.globs), 0, "tables", "GLOB",
                 LOD_OPTION_LIST_MAX,
                 "compress these .npy, .csv, .libsvm and .svm files as shards too. GLOB matches "
                 "the name, or, if it has a slash, the path. May be given several times"),
    LOD_ROW_FLAG(FIELD(pack.tables.text.one_hot), 0, "one-hot",
                 "replace each text column of a .csv by one column for each of its values"),
    ROWS(batch_rows, "batch-rows", "rows of a mini-batch in a shard (default 250)"),
    ROWS(shard_rows, "shard-rows", "rows of a shard (default 5000, fewer where they are long)"),
    LOD_ROW_FLAG(FIELD(pack.skip_unreadable), 0, "skip-unreadable",
                 "leave out files that cannot be read or that change (exit 3)"),
    LOD_ROW_FLAG(FIELD(pack.plan), 0, "plan",
                 "only decide what to pack, and write it down in STORE, for many processes that "
                 "pack with --part. The same command without it then makes the store"),
    LOD_ROW_TEXT(
        LOD_OPTION_TEXT, FIELD(part), 0, "part", "K/N", 0,
        "write part K of N, of the records that --plan decided; K is 1 to N. Other options "
        "are those of --plan"),
    LOD_ROW_FLAG(FIELD(pack.dry_run), 'n', "dry-run", "print what would be packed; write nothing"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    LOD_ROW_QUIET(FIELD(quiet), "no summary"),
    LOD_ROW_VERBOSE(FIELD(verbose), "name every file that is left out or stored whole"),
    LOD_ROW_OPERAND(FIELD(pack.source), "SOURCE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(pack.store), "STORE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int load_scans(struct lod_pack_arguments *arguments)
{
    const char *wanted = arguments->pack.scans_name;
    struct lod_why why = {.text = ""};

    if (strcmp(wanted, "auto") == 0 || strcmp(wanted, "light") == 0) {
        return 0;
    }
    int error = lod_scans_load(wanted, &arguments->script, &why);
    if (error) {
        return lod_fail(LOD_EXIT_USAGE, "--scans=%pE: %s", wanted, lod_why_text(&why, error));
    }
    arguments->pack.scans = &arguments->script;
    arguments->pack.scans_name = lod_script_named(wanted) ? wanted : "file";
    return 0;
}

static int check_globs(const struct lod_cmd *cmd, const char *name,
                       const struct lod_option_list *globs)
{
    for (unsigned i = 0; i < globs->count; i++) {
        if (!lod_pattern_is_good(globs->at[i])) {
            return lod_arguments_refuse(cmd, "--%s takes a pattern of file names, not '%pE'", name,
                                        globs->at[i]);
        }
    }
    return 0;
}

static int read_excluded(struct lod_pack_arguments *arguments)
{
    const struct lod_option_list *files = &arguments->exclude_from;

    for (unsigned i = 0; i < files->count; i++) {
        unsigned line;
        int error = lod_filter_read(&arguments->pack.filter, files->at[i], &line);
        if (error == -E2BIG) {
            return lod_fail(LOD_EXIT_USAGE,
                            "--exclude-from=%pE: more than 1 MiB or 10,000 patterns", files->at[i]);
        }
        if (error == -EINVAL && line == 0) {
            return lod_fail(LOD_EXIT_USAGE,
                            "--exclude-from=%pE: it is not a text: it contains a NUL byte",
                            files->at[i]);
        }
        if (error == -EINVAL) {
            return lod_fail(LOD_EXIT_USAGE, "--exclude-from=%pE: line %u is not a pattern",
                            files->at[i], line);
        }
        if (error) {
            return lod_fail(LOD_EXIT_USAGE, "--exclude-from=%pE: %s", files->at[i],
                            strerrordesc_np(-error));
        }
    }
    return 0;
}

/*
 * Finds the row of --from. Members of containers are kept byte for byte, since there may be no
 * other copy.
 */
static int settle_from(struct lod_pack_arguments *arguments)
{
    struct lod_pack_options *pack = &arguments->pack;

    pack->from = arguments->from ? lod_container_at(arguments->from - 1u) : NULL;
    pack->keep = pack->keep || pack->from;
    if (pack->from && pack->follow) {
        return lod_fail(LOD_EXIT_USAGE, "--symlinks=follow goes with folders; tar --dereference "
                                        "makes a tar of the files that links point to");
    }
    return pack->key && (!pack->from || !pack->from->has_key || strlen(pack->key) > KEY_MAX)
               ? lod_arguments_refuse(arguments->cmd,
                                      "--key goes with --from=tfrecord, and has at most %u bytes",
                                      KEY_MAX)
               : 0;
}

static const char *wrong_split(const struct lod_split_names *names, const char *name)
{
    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(names->at[i], name) == 0) {
            return "is there twice";
        }
    }
    return !lod_name_valid(name, strlen(name)) ? "is not the name of a folder in SOURCE"
           : strlen(name) > LOD_SPLIT_NAME_MAX ? "has over 200 bytes"
           : names->count == LOD_SPLITS_MAX    ? "is one too many: there are at most 64"
                                               : NULL;
}

/* Divides --splits at its commas. */
static int settle_splits(struct lod_pack_arguments *arguments)
{
    struct lod_split_names *names = &arguments->pack.splits;
    char *word = arguments->splits, *next;

    if (!names->text || strcmp(names->text, "none") == 0) {
        return 0;
    }
    if (strlen(names->text) > LOD_SPLITS_TEXT_MAX) {
        return lod_arguments_refuse(arguments->cmd, "--splits has at most %u bytes",
                                    LOD_SPLITS_TEXT_MAX);
    }
    strcpy(word, names->text);
    for (; word; word = next) {
        next = lod_option_cut(word);
        const char *wrong = wrong_split(names, word);
        if (wrong) {
            return lod_arguments_refuse(arguments->cmd, "--splits: '%pE' %s", word, wrong);
        }
        names->at[names->count++] = word;
    }
    return 0;
}

/* Checks --top: with --full=scans all ten groups are stored. */
static int settle_full(struct lod_pack_arguments *arguments)
{
    if (arguments->scans_alone && arguments->pack.top) {
        return lod_arguments_refuse(arguments->cmd, "--top goes with --full=source: --full=scans "
                                                    "stores every group");
    }
    if (!arguments->scans_alone && !arguments->pack.top) {
        arguments->pack.top = LOD_PACK_TOP;
    }
    return 0;
}

/* Checks --plan and --part. */
static int settle_part(struct lod_pack_arguments *arguments)
{
    struct lod_pack_options *pack = &arguments->pack;

    if (!pack->plan && !arguments->part) {
        return 0;
    }
    if (pack->dry_run || (pack->plan && arguments->part)) {
        return lod_arguments_refuse(arguments->cmd,
                                    "--plan, --part and --dry-run exclude each other");
    }
    return arguments->part ? lod_arguments_part(arguments->cmd, arguments->part, LOD_PARTS_MAX,
                                                &pack->part.number, &pack->part.count)
                           : 0;
}

int lod_pack_arguments_parse(const struct lod_cmd *cmd, struct lod_pack_arguments *arguments,
                             int argc, char **argv)
{
    *arguments = (struct lod_pack_arguments){
        .cmd = cmd,
        .pack = {.scans_name = "auto", .threads = lod_thread_count_default()},
        .progress = -1,
    };
    int code = lod_arguments_parse(cmd, argc, argv, arguments);
    code = code ? code : check_globs(cmd, "tables", &arguments->pack.tables.globs);
    code = code ? code : check_globs(cmd, "levels", &arguments->pack.levels);
    code = code ? code : check_globs(cmd, "exclude", &arguments->pack.filter.exclude);
    code = code ? code : check_globs(cmd, "include", &arguments->pack.filter.include);
    code = code ? code : read_excluded(arguments);
    code = code ? code : settle_full(arguments);
    code = code ? code : settle_from(arguments);
    code = code ? code : settle_part(arguments);
    code = code ? code : settle_splits(arguments);
    code = code ? code : load_scans(arguments);
    arguments->pack.l3_name = l3_modes[arguments->pack.l3_mode];
    return code;
}
