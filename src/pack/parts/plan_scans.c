/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripts in pack.plan: for each class u8 scripts, each u8 bytes | name; u32 bytes | the table
 * of measurements as JSON; then the numbers of struct lod_likeness, each 8 bytes. A script is a
 * built-in one, or that of --scans, whose contents are among the options.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "pack/parts/plan_file.h"
#include "pack/parts/plan_format.h"

#define NAME_MAX_BYTES (sizeof(((struct lod_script *)0)->name) - 1)

/* The numbers of a likeness in their order, for both directions. */
struct numbers {
    double *at[8];
    size_t count[8];
    unsigned lists;
};

static struct numbers numbers_of(struct lod_likeness *likeness)
{
    return (struct numbers){.at = {likeness->mssim, likeness->features, likeness->slopes[0],
                                   likeness->variance, likeness->between},
                            .count = {LOD_SCRIPT_GROUPS, LOD_PHOTO_FEATURES,
                                      LOD_SCRIPT_GROUPS * LOD_PHOTO_FEATURES, LOD_SCRIPT_GROUPS,
                                      LOD_SCRIPT_GROUPS},
                            .lists = 5};
}

/* -------------------------------------------------------------------------------- writing */

static int put_choice(struct lod_buf *into, const struct lod_scan_choice *choice)
{
    int error = 0;

    for (unsigned class = 0; !error && class < LOD_QUANT_CLASSES; class ++) {
        error = lod_buf_append_le(into, 1, choice->classes[class].count);
        for (unsigned i = 0; !error && i < choice->classes[class].count; i++) {
            const char *name = choice->classes[class].scripts[i]->name;
            error = lod_buf_append_le(into, 1, strlen(name));
            error = error ? error : lod_buf_append(into, name, strlen(name));
        }
    }
    return error;
}

static int put_table(struct lod_buf *into, const cJSON *table)
{
    char *text = table ? cJSON_PrintUnformatted(table) : NULL;
    const size_t bytes = text ? strlen(text) : 0;
    int error = table && !text ? -ENOMEM : lod_buf_append_le(into, 4, bytes);

    error = error || !text ? error : lod_buf_append(into, text, bytes);
    cJSON_free(text);
    return error;
}

static int put_likeness(struct lod_buf *into, struct lod_likeness likeness)
{
    const struct numbers numbers = numbers_of(&likeness);
    int error = lod_buf_append_le(into, 4, likeness.photos);

    error = error ? error : lod_buf_append_le(into, 4, likeness.seen);
    for (unsigned list = 0; !error && list < numbers.lists; list++) {
        for (size_t i = 0; !error && i < numbers.count[list]; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers.at[list][i], sizeof(bits));
            error = lod_buf_append_le(into, 8, bits);
        }
    }
    return error;
}

int lod_pack_plan_put_scans(struct lod_buf *file, const struct lod_scans *scans)
{
    struct lod_buf all = {0};
    int error = put_choice(&all, &scans->choice);

    error = error ? error : put_table(&all, scans->table);
    error = error ? error : put_likeness(&all, scans->likeness);
    error = error || all.bytes <= LOD_PLAN_SCANS_MAX ? error : -E2BIG;
    error = error ? error : lod_buf_append_le(file, 4, all.bytes);
    error = error ? error : lod_buf_append(file, all.data, all.bytes);
    lod_buf_finish(&all);
    return error;
}

/* -------------------------------------------------------------------------------- reading */

static int take_script(struct lod_cursor *c, const struct lod_script *fixed,
                       const struct lod_script **ret_script)
{
    char name[NAME_MAX_BYTES + 1];
    const size_t bytes = lod_take_u8(c);
    const uint8_t *at = lod_take(c, bytes);

    if (!at || bytes > NAME_MAX_BYTES) {
        return -EBADMSG;
    }
    memcpy(name, at, bytes);
    name[bytes] = '\0';
    *ret_script = fixed && strcmp(fixed->name, name) == 0 ? fixed : lod_script_named(name);
    return *ret_script ? 0 : -EBADMSG;
}

static int take_choice(struct lod_cursor *c, const struct lod_script *fixed,
                       struct lod_scan_choice *choice)
{
    int error = 0;

    for (unsigned class = 0; !error && class < LOD_QUANT_CLASSES; class ++) {
        const unsigned count = lod_take_u8(c);
        error = count == 0 || count > LOD_SCRIPTS_MAX ? -EBADMSG : 0;
        choice->classes[class].count = count;
        for (unsigned i = 0; !error && i < count; i++) {
            error = take_script(c, fixed, &choice->classes[class].scripts[i]);
        }
    }
    return error;
}

static int take_table(struct lod_cursor *c, cJSON **ret_table)
{
    const size_t bytes = lod_take_le32(c);
    const uint8_t *at = lod_take(c, bytes);

    if (!at) {
        return -EBADMSG;
    }
    if (bytes) {
        *ret_table = cJSON_ParseWithLength((const char *)at, bytes);
    }
    return bytes && !cJSON_IsObject(*ret_table) ? -EBADMSG : 0;
}

static int take_likeness(struct lod_cursor *c, struct lod_likeness *likeness)
{
    const struct numbers numbers = numbers_of(likeness);
    bool finite = true;

    likeness->photos = lod_take_le32(c);
    likeness->seen = lod_take_le32(c);
    for (unsigned list = 0; list < numbers.lists; list++) {
        for (size_t i = 0; i < numbers.count[list]; i++) {
            const uint64_t bits = lod_take_le64(c);
            memcpy(&numbers.at[list][i], &bits, sizeof(bits));
            finite = finite && isfinite(numbers.at[list][i]);
        }
    }
    return finite && !c->short_of_bytes && c->left == 0 ? 0 : -EBADMSG;
}

int lod_pack_plan_take_scans(const struct lod_pack_plan *plan, const struct lod_script *fixed,
                             struct lod_scans *ret_scans)
{
    struct lod_cursor c = plan->scans;

    memset(ret_scans, 0, sizeof(*ret_scans));
    if (fixed) {
        ret_scans->fixed = *fixed;
    }
    int error = take_choice(&c, fixed ? &ret_scans->fixed : NULL, &ret_scans->choice);
    error = error ? error : take_table(&c, &ret_scans->table);
    error = error ? error : take_likeness(&c, &ret_scans->likeness);
    if (error) {
        lod_scans_finish(ret_scans);
    }
    return error;
}
