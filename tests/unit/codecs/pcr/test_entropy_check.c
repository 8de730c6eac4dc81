/* SPDX-License-Identifier: Apache-2.0 */
/* The check of written scans finds every coefficient that a decoder would get differently. */
#include <errno.h>

#include "pcr/exact/scans_read.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/entropy/scans_write.h"
#include "jpeg_same.h"
#include "pcr_samples.h"

#define MEMORY (64ull << 20)

struct proven {
    struct lod_jpeg *jpeg;
    struct lod_buf written;
};

/* A source and its scans down to group `last` of a script; proven to begin with. */
static struct proven write_sample(const struct sample *s, const char *name, unsigned last)
{
    struct lod_buf source = sample_jpeg(s);
    struct proven p = {0};
    struct lod_script fitted;
    uint8_t blocks[LOD_SCRIPT_COMPONENTS];
    const char *why;

    cr_assert_eq(lod_jpeg_read(lod_buf_span(&source), MEMORY, &p.jpeg, &why), 0);
    for (unsigned c = 0; c < p.jpeg->frame.components; c++) {
        blocks[c] = (uint8_t)(p.jpeg->frame.component[c].h * p.jpeg->frame.component[c].v);
    }
    lod_script_fit(lod_script_named(name), p.jpeg->frame.components, blocks, &fitted);
    lod_script_cut(&fitted, last);
    cr_assert_eq(lod_scans_write(p.jpeg, &fitted, &p.written), 0);
    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, last == 10), 0, "%s", name);
    lod_buf_finish(&source);
    return p;
}

static void finish(struct proven *p)
{
    lod_jpeg_destroy(p->jpeg);
    lod_buf_finish(&p->written);
}

static const struct sample photograph = {.width = 41, .height = 35, .h = {2}, .v = {2}};

/* Each coefficient in turn is changed. All of its bits were sent, so the check must notice. */
Test(entropy_check, every_changed_coefficient_is_found, .timeout = 120)
{
    static const char *const names[] = {"default", "best", "spectral"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct proven p = write_sample(&photograph, names[i], 10);
        for (unsigned c = 0; c < 3; c++) {
            const struct lod_jpeg_component *component = &p.jpeg->frame.component[c];
            for (uint32_t y = 0; y < component->blocks_high; y++) {
                int16_t *at = lod_jpeg_row(p.jpeg, c, y)[y % component->blocks_wide];
                for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
                    int16_t was = at[k];
                    at[k] = (int16_t)(was + (k % 2 ? 1 : -1));
                    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, true), -EBADMSG,
                                 "%s: component %u, row %u, coefficient %u", names[i], c, y, k);
                    at[k] = was;
                }
            }
        }
        finish(&p);
    }
}

/* Bits of a coefficient below the lowest that was sent may differ. That bit and those above it must
 * be equal. */
Test(entropy_check, a_prefix_is_compared_down_to_its_last_bit)
{
    struct proven p = write_sample(&photograph, "best", 2); /* DC to bit 2; Y 1-5 to bit 4 */
    int16_t *block = lod_jpeg_row(p.jpeg, 0, 1)[1];
    int16_t was[] = {block[0], block[3], block[9]};

    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, true), -EILSEQ, "incomplete");
    block[0] = (int16_t)(was[0] ^ 3);
    block[3] = (int16_t)(was[1] < 0 ? -(-was[1] ^ 15) : was[1] ^ 15);
    block[9] = 77;
    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, false), 0);
    block[0] = (int16_t)(was[0] ^ 4);
    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, false), -EBADMSG);
    block[0] = was[0];
    block[3] = (int16_t)(was[1] < 0 ? -(-was[1] ^ 16) : was[1] ^ 16);
    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, false), -EBADMSG);
    finish(&p);
}

/* If a file with a changed byte is accepted, a decoder reads the same coefficients from it. */
Test(entropy_check, a_changed_byte_is_found_or_harmless, .timeout = 120)
{
    struct proven p = write_sample(&photograph, "best", 10);
    unsigned harmless = 0;

    for (size_t i = 0; i < p.written.bytes; i++) {
        struct lod_jpeg *read = NULL;
        p.written.data[i] ^= (uint8_t)(1u << i % 8);
        if (lod_scans_check(lod_buf_span(&p.written), p.jpeg, true) == 0) {
            cr_assert_eq(lod_scans_read(lod_buf_span(&p.written), MEMORY, &read), 0, "byte %zu", i);
            cr_assert_eq(jpeg_same(p.jpeg, read), 0, "byte %zu", i);
            lod_jpeg_destroy(read);
            harmless++;
        }
        p.written.data[i] ^= (uint8_t)(1u << i % 8);
    }
    cr_assert_lt(harmless, p.written.bytes / 10);
    finish(&p);
}

Test(entropy_check, a_file_of_another_image_is_refused)
{
    struct sample other = photograph;

    other.width++;
    struct proven p = write_sample(&photograph, "default", 10),
                  q = write_sample(&other, "lean", 10);
    cr_assert_eq(lod_scans_check(lod_buf_span(&q.written), p.jpeg, true), -EBADMSG);
    p.jpeg->quant[p.jpeg->frame.component[0].quant][5] ^= 1;
    cr_assert_eq(lod_scans_check(lod_buf_span(&p.written), p.jpeg, true), -EBADMSG);
    cr_assert_eq(
        lod_scans_check((struct lod_span){.at = p.written.data, .bytes = 100}, p.jpeg, true),
        -EILSEQ);
    finish(&p);
    finish(&q);
}
