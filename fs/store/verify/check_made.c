/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are also made of another item's bytes. Damage of that item affects all files that
 * borrow from it. Only the codec knows the borrowers. It is asked only about records with damage,
 * so checking a sound store costs nothing more.
 */
#include <errno.h>
#include <stdlib.h>

#include "verify/check_inputs.h"

#define MADE_FIDELITY LOD_ORIGINAL

/*
 * Finds the first other slot that the codec needs. *ret_group is 0 if there is none, or if the
 * item's own bytes cannot be read, which another step reports. Returns -ENOMEM.
 */
static int find_lender(struct lod_check_inputs *from, uint32_t slot, unsigned form,
                       uint32_t *ret_lender, unsigned *ret_group)
{
    struct lod_inputs inputs = {0};

    *ret_group = 0;
    int error = lod_check_gather(from, slot, form, 0, &inputs);
    for (unsigned i = 0; i < inputs.count && !*ret_group; i++) {
        const struct lod_input *input = &inputs.input[i];
        if (input->slot != LOD_SLOT_OWN && input->slot != LOD_SLOT_AHEAD) { /* check_ahead.c */
            *ret_lender = input->slot;
            *ret_group = input->group;
        }
    }
    lod_check_drop(from, &inputs);
    return lod_check_stops(error) ? error : 0;
}

static bool is_made(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                    unsigned *ret_form)
{
    struct lod_plan plan;
    bool made = false;

    if (!codec->maker || lod_codec_plan(codec, row, LOD_FORMAT_TREE, MADE_FIDELITY, &plan) != 0) {
        return false;
    }
    for (unsigned i = 0; i < plan.count && !made; i++) {
        made = plan.pieces[i].kind == LOD_PIECE_MADE;
        *ret_form = plan.pieces[i].form;
    }
    return made;
}

/* Adds a finding if the lender has one that concerns all of it, or one in the borrowed group. */
static int charge_borrower(struct lod_verify *v, const struct lod_costly *list, size_t count,
                           uint32_t borrower, uint32_t lender, unsigned group)
{
    char path[LOD_PATH_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];

    for (size_t i = lod_costly_first(list, count, lender); i < count && list[i].item == lender;
         i++) {
        struct lod_finding finding = v->findings.at[list[i].finding];
        if (finding.group && finding.group != group) {
            continue;
        }
        finding.path = lod_index_item(v->index, borrower, row)
                           ? NULL
                           : lod_check_path(v, lod_row_own_node(row), path);
        finding.item = borrower;
        finding.fidelities = 1u << MADE_FIDELITY;
        return lod_findings_add(&v->findings, &finding);
    }
    return 0;
}

static int charge_record(struct lod_verify *v, const struct lod_record_desc *recd,
                         const struct lod_costly *list, size_t count)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    struct lod_record *record = NULL;
    struct lod_check_inputs from = {.verify = v, .codec = codec, .in_index = true};
    uint32_t lender = 0;
    unsigned form, group;

    int error = codec->maker ? lod_record_open(v->store, recd, &record) : -ENOENT;
    if (error) {
        return lod_check_stops(error) ? error : 0; /* all its files have findings then */
    }
    from.record = record;
    for (uint32_t slot = 0; !error && slot < recd->items; slot++) {
        if (!is_made(codec, lod_record_row(record, slot), &form)) {
            continue;
        }
        error = find_lender(&from, slot, form, &lender, &group);
        if (!error && group && lender < slot) {
            error = charge_borrower(v, list, count, recd->first_item + slot,
                                    recd->first_item + lender, group);
        }
    }
    lod_check_inputs_finish(&from);
    lod_record_close(record);
    return error;
}

int lod_check_borrowers(struct lod_verify *v)
{
    struct lod_costly *list = NULL;
    struct lod_record_desc recd;
    size_t count = 0;

    int error = lod_costly_list(&v->findings, &list, &count);
    for (size_t i = 0; !error && i < count;) {
        if (lod_index_record_of(v->index, list[i].item, &recd)) {
            i++;
            continue;
        }
        error = charge_record(v, &recd, list, count);
        i = lod_costly_first(list, count, recd.first_item + recd.items);
    }
    if (!error && count) {
        error = lod_check_ahead(v, list, count);
    }
    free(list);
    return error;
}
