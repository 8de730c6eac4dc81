/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "terminal/cmd.h"
#include "cmd/pack_arguments.h"

#define ARGV_MAX 5

/* "pack", up to two options, SOURCE and STORE. */
static int parse(struct lod_pack_arguments *arguments, const char *option, const char *other)
{
    char *argv[ARGV_MAX + 1] = {(char *)(uintptr_t) "pack"};
    int argc = 1;

    if (option) {
        argv[argc++] = (char *)(uintptr_t)option;
    }
    if (other) {
        argv[argc++] = (char *)(uintptr_t)other;
    }
    argv[argc++] = (char *)(uintptr_t) "source";
    argv[argc++] = (char *)(uintptr_t) "store";
    return lod_pack_arguments_parse(&lod_cmd_pack, arguments, argc, argv);
}

Test(pack_arguments, without_options_the_defaults_apply)
{
    struct lod_pack_arguments arguments;

    cr_assert_eq(parse(&arguments, NULL, NULL), 0);
    cr_assert_str_eq(arguments.pack.source, "source");
    cr_assert_str_eq(arguments.pack.store, "store");
    cr_assert_str_eq(arguments.pack.scans_name, "auto");
    cr_assert_null(arguments.pack.scans);
    cr_assert_eq(arguments.progress, -1);
    cr_assert_geq(arguments.pack.threads, 1);
    cr_assert_not(arguments.json || arguments.quiet || arguments.pack.dry_run);
}

Test(pack_arguments, sizes_have_units_and_bounds)
{
    static const struct {
        const char *option;
        uint64_t bytes; /* 0: refused */
    } sizes[] = {
        {"--record-size=65536", 65536},
        {"--record-size=16M", 16 << 20},
        {"--record-size=64KiB", 65536},
        {"--record-size=64kB", 65536},
        {"--record-size=512m", 512 << 20},
        {"--record-size=65535", 0},
        {"--record-size=513M", 0},
        {"--record-size=1G", 0},
        {"--record-size=16Mx", 0},
        {"--record-size=-16M", 0},
        {"--record-size=", 0},
        {"--record-size=99999999999999999999", 0},
    };
    struct lod_pack_arguments arguments;

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int code = parse(&arguments, sizes[i].option, NULL);
        cr_assert_eq(code, sizes[i].bytes ? 0 : LOD_EXIT_USAGE, "%s", sizes[i].option);
        if (sizes[i].bytes) {
            cr_assert_eq(arguments.pack.order.record_bytes, sizes[i].bytes, "%s", sizes[i].option);
        }
    }
}

Test(pack_arguments, a_seed_is_a_number_that_json_holds)
{
    struct lod_pack_arguments arguments;

    cr_assert_eq(parse(&arguments, "--seed=9007199254740991", NULL), 0);
    cr_assert_eq(arguments.pack.order.seed, 9007199254740991);
    cr_assert_eq(parse(&arguments, "--seed=9007199254740992", NULL), LOD_EXIT_USAGE);
    cr_assert_eq(parse(&arguments, "--seed=7x", NULL), LOD_EXIT_USAGE);
}

Test(pack_arguments, a_named_script_is_loaded_and_l3_has_three_modes)
{
    struct lod_pack_arguments arguments;

    cr_assert_eq(parse(&arguments, "--scans=default", "--l3=paper"), 0);
    cr_assert_eq(arguments.pack.scans, &arguments.script);
    cr_assert_str_eq(arguments.pack.scans_name, "default");
    cr_assert_str_eq(arguments.pack.l3_name, "paper");
    cr_assert_eq(parse(&arguments, "--l3=large", NULL), LOD_EXIT_USAGE);
    cr_assert_eq(parse(&arguments, "--order=path", "--symlinks=follow"), 0);
    cr_assert(arguments.pack.order.by_path && arguments.pack.follow);
}

Test(pack_arguments, one_folder_or_three_are_refused)
{
    struct lod_pack_arguments arguments;
    char *one[] = {(char *)(uintptr_t) "pack", (char *)(uintptr_t) "source", NULL};

    cr_assert_eq(lod_pack_arguments_parse(&lod_cmd_pack, &arguments, 2, one), LOD_EXIT_USAGE);
    cr_assert_eq(parse(&arguments, "source", NULL), LOD_EXIT_USAGE);
}
