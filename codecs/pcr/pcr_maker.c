/* SPDX-License-Identifier: Apache-2.0 */
/* The maker of pcr items: makes the source file or the pixels of a fidelity,
 * depending on the form. */
#include "pcr/pcr_decoded.h"
#include "pcr/pcr_original.h"

static const struct lod_maker *maker_of(unsigned form)
{
    return form < LOD_PCR_FORM_DECODED ? &lod_pcr_original_maker : &lod_pcr_decoded_maker;
}

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    return maker_of(form)->unit_bytes(row, form);
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    return maker_of(form)->cost(row, form);
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    return maker_of(form)->need(row, form, unit, inputs);
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    return maker_of(form)->make(row, form, unit, inputs, into, bytes);
}

static unsigned series_end(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    const struct lod_maker *maker = maker_of(form);

    return maker->series_end ? maker->series_end(row, form) : form;
}

static int make_series(const struct lod_unit *last, const struct lod_series *series)
{
    return lod_pcr_decoded_maker.make_series(last, series);
}

const struct lod_maker lod_pcr_maker = {
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
    .series_end = series_end,
    .make_series = make_series,
};
