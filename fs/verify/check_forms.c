/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes that are right do not say that a mount can serve what it makes of the bytes: pixels, a
 * source file, the rows of a table. So all of it is made here once, and thrown away; and the codec
 * is asked about what others make of the item as it is stored.
 */
#include "verify/check_record.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/check_inputs.h"

struct forms {
    struct lod_record_check *check;
    struct lod_check_inputs inputs;
    uint32_t slot;
    const uint8_t *row;
    enum { UNTRIED, GOOD, BAD } tried[LOD_FORMS_MAX]; /* of this slot */
};

static int form_found(const struct forms *f, const char *what, uint16_t fidelities)
{
    struct lod_record_check *c = f->check;
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = lod_record_check_finding(c, what, fidelities);

    finding.path = lod_record_check_path(c, f->slot, path);
    finding.offset = lod_record_segment_offset(c->record, f->slot, 1);
    finding.bytes = lod_record_segment_bytes(c->record, f->slot, 1);
    finding.item = c->in_index ? c->recd.first_item + f->slot : LOD_NO_ITEM;
    finding.slot = f->slot;
    return fidelities ? lod_findings_add(&c->verify->findings, &finding) : 0;
}

/* One unit, into memory of its own. */
static int make_unit(struct forms *f, unsigned form, uint64_t unit, uint64_t bytes,
                     uint64_t state[LOD_PROOF_WORDS])
{
    const struct lod_maker *maker = f->inputs.codec->maker;
    struct lod_inputs inputs = {0};
    uint8_t *into = NULL;

    int error = lod_check_gather(&f->inputs, f->slot, form, unit, &inputs);
    if (!error) {
        into = malloc(bytes);
        error = into ? maker->make(f->row, form, unit, &inputs, into, bytes) : -ENOMEM;
    }
    if (!error && maker->prove) {
        struct lod_span made = {.at = into, .bytes = bytes};
        error = maker->prove(f->row, form, unit, made, state);
    }
    free(into);
    lod_check_drop(&f->inputs, &inputs);
    return error;
}

/* All units of a form of `bytes` bytes, until one is not what it should be. */
static int make_form(struct forms *f, unsigned form, uint64_t bytes)
{
    const struct lod_maker *maker = f->inputs.codec->maker;
    const uint64_t unit_bytes = maker->unit_bytes(f->row, form);
    const uint64_t cost = maker->cost(f->row, form);
    struct lod_budget *work = &f->check->verify->work;
    uint64_t state[LOD_PROOF_WORDS] = {0};
    int error = 0;

    if (cost > work->bytes_max) {
        return -E2BIG;
    }
    uint64_t promised = lod_budget_take(work, cost);
    for (uint64_t unit = 0; !error && unit * unit_bytes < bytes; unit++) {
        const uint64_t left = bytes - unit * unit_bytes;
        error = make_unit(f, form, unit, left < unit_bytes ? left : unit_bytes, state);
    }
    lod_budget_give(work, promised);
    return error;
}

/* Tries the forms of a plan, if `untried` ones are wanted; what is made of it is *ret_made. */
static int try_forms(struct forms *f, const struct lod_plan *plan, bool untried, int *ret_made)
{
    int made = UNTRIED;

    for (unsigned i = 0; i < plan->count; i++) {
        const unsigned form = plan->pieces[i].form;
        if (plan->pieces[i].kind != LOD_PIECE_MADE) {
            continue;
        }
        if (f->tried[form] == UNTRIED && untried) {
            int error = make_form(f, form, lod_plan_made_bytes(plan, form));
            if (error == -ENOMEM) {
                return error;
            }
            f->tried[form] = error && error != -EBADMSG ? BAD : GOOD;
        }
        made = made == BAD ? BAD : (int)f->tried[form];
    }
    *ret_made = made;
    return 0;
}

/*
 * The forms of a format, from the one that needs most down: what needs a part of what has just been
 * decoded whole is decoded too. *ret_fidelities: those that cannot be made.
 */
static int check_format(struct forms *f, enum lod_format format, uint16_t *ret_fidelities)
{
    struct lod_plan plan;
    bool whole = false;
    int made;

    *ret_fidelities = 0;
    for (unsigned fidelity = LOD_ORIGINAL; fidelity >= LOD_Q1; fidelity--) {
        if (lod_codec_plan(f->inputs.codec, f->row, format, (enum lod_fidelity)fidelity, &plan)) {
            continue; /* malformed, which check_slots.c reports, or no such file */
        }
        int error = try_forms(f, &plan, !whole, &made);
        if (error) {
            return error;
        }
        whole = whole || (format == LOD_FORMAT_DECODED && made == GOOD);
        *ret_fidelities |= (uint16_t)(made == BAD ? 1u << fidelity : 0);
    }
    return 0;
}

/* What the codec says of the bytes of group 1, which its readers get as they are. */
static int check_stored(struct forms *f, const char **ret_what)
{
    const struct lod_codec *codec = f->inputs.codec;
    const uint64_t bytes = lod_record_segment_bytes(f->check->record, f->slot, 1);
    struct lod_budget *work = &f->check->verify->work;
    struct lod_span stored;

    if (!codec->check || bytes > work->bytes_max) {
        return 0;
    }
    uint64_t promised = lod_budget_take(work, codec->check_cost(f->row));
    int error = lod_check_read_segment(&f->inputs, f->slot, 1, &stored);
    if (!error) {
        error = codec->check(f->row, stored);
        *ret_what = error && error != -ENOMEM ? "malformed: not what its row says" : NULL;
        free((void *)(uintptr_t)stored.at);
    }
    lod_budget_give(work, promised);
    return error == -ENOMEM ? error : 0;
}

static int check_slot(struct forms *f)
{
    const struct lod_codec *codec = f->inputs.codec;
    uint16_t tree = 0, decoded = 0;
    const char *what = NULL;

    memset(f->tried, 0, sizeof(f->tried));
    int error = check_stored(f, &what);
    if (error || what) {
        return error ? error : form_found(f, what, lod_findings_stored(codec, f->row));
    }
    if (!codec->maker) {
        return 0;
    }
    error = check_format(f, LOD_FORMAT_TREE, &tree);
    if (!error && lod_codec_decoded_ending(codec, f->row)) {
        error = check_format(f, LOD_FORMAT_DECODED, &decoded);
    }
    error = error ? error : form_found(f, "malformed: nothing can be made of it", tree);
    return error ? error
                 : form_found(f, "malformed: it has no pixels", (uint16_t)(decoded & ~tree));
}

int lod_record_check_forms(struct lod_record_check *c, uint64_t low, uint64_t high)
{
    struct forms f = {
        .check = c,
        .inputs = {
            .verify = c->verify, .record = c->record, .codec = c->codec, .in_index = c->in_index}};
    int error = 0;

    for (f.slot = 0; !error && f.slot < c->recd.items && (c->codec->maker || c->codec->check);
         f.slot++) {
        const uint64_t at = lod_record_segment_offset(c->record, f.slot, 1);
        f.row = lod_record_row(c->record, f.slot);
        error = at >= low && at < high ? check_slot(&f) : 0;
    }
    lod_check_inputs_finish(&f.inputs);
    return error;
}
