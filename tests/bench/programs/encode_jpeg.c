/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the CPU time of encoding an image, step by step and in all, and of rebuilding the
 * source:
 *   build/tests/bench/encode_jpeg FILE.jpg ..
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "encoder.h"
#include "pcr/exact/rebuild.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/jpeg_scan.h"
#include "pcr/exact/scans_read.h"
#include "pcr/entropy/scans_write.h"
#include "pcr/jpeg/script.h"

#define MEMORY (1ull << 30)

enum step {
    READ,
    WRITE,
    PROVE,
    READ_BACK,
    THEIR_WRITE,
    THEIR_READ,
    DECODE,
    ENCODE,
    ENCODE_KEPT,
    RESTORE,
    STEPS
};

static const char *const step_names[STEPS] = {
    [READ] = "read the coefficients",
    [WRITE] = "write the scans",
    [PROVE] = "prove them",
    [READ_BACK] = "read them back, as rebuilding does",
    [THEIR_WRITE] = "write them with libjpeg, the source's reading included",
    [THEIR_READ] = "read them back with libjpeg",
    [DECODE] = "decode to pixels, for comparison",
    [ENCODE] = "encode, --full=scans: scan, read, write, prove, cut, prove original/",
    [ENCODE_KEPT] = "encode, --full=source: scan, read, write q1 .. q5, prove, cut",
    [RESTORE] = "rebuild the source from full/",
};

struct totals {
    double ms[STEPS];
    double bytes_in, bytes_out;
    unsigned images, whole, restored;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int read_file(const char *path, struct lod_buf *ret_file)
{
    static uint8_t chunk[1 << 16];
    FILE *in = fopen(path, "rb");
    int error = in ? 0 : -1;

    for (size_t bytes; in && !error && (bytes = fread(chunk, 1, sizeof(chunk), in));) {
        error = lod_buf_append(ret_file, chunk, bytes);
    }
    if (in) {
        fclose(in);
    }
    return error;
}

/* Encodes with libjpeg; the bytes must equal those in `ours`. */
static int write_theirs(struct lod_span file, const struct lod_script *script,
                        const struct lod_buf *ours)
{
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct out;
    struct jpeg_error_mgr failure;
    jpeg_scan_info scans[LOD_SCRIPT_SCANS_MAX];
    unsigned char *made = NULL;
    unsigned long bytes = 0;

    in.err = out.err = jpeg_std_error(&failure); /* exits on an error */
    jpeg_create_decompress(&in);
    jpeg_create_compress(&out);
    jpeg_mem_src(&in, file.at, file.bytes);
    jpeg_read_header(&in, TRUE);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&in);
    jpeg_mem_dest(&out, &made, &bytes);
    jpeg_copy_critical_parameters(&in, &out);
    out.write_JFIF_header = out.write_Adobe_marker = FALSE;
    for (unsigned i = 0; i < script->count; i++) {
        const struct lod_scan *from = &script->scans[i];
        scans[i] =
            (jpeg_scan_info){from->count, {0}, from->first, from->last, from->high, from->low};
        for (unsigned c = 0; c < from->count; c++) {
            scans[i].component_index[c] = from->component[c];
        }
    }
    out.scan_info = scans;
    out.num_scans = (int)script->count;
    jpeg_write_coefficients(&out, coefficients);
    jpeg_finish_compress(&out);
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    int error = bytes == ours->bytes ? memcmp(made, ours->data, bytes) : -1;
    free(made);
    return error;
}

/* Times the steps of encode one by one. */
static int time_steps(struct lod_span file, struct totals *t)
{
    static struct lod_jpeg_layout layout;
    struct lod_jpeg *jpeg = NULL, *again = NULL, *theirs = NULL;
    struct lod_buf written = {0}, pixels = {0};
    struct lod_script fitted;
    uint8_t blocks[LOD_SCRIPT_COMPONENTS];
    uint32_t width, height, channels;
    const char *why;

    double from = now_ms();
    int error = lod_jpeg_scan(file, &layout, &why);
    error = error ? error : lod_jpeg_read(file, MEMORY, &jpeg, &why);
    t->ms[READ] += now_ms() - from;
    if (error) {
        return error;
    }
    for (unsigned c = 0; c < LOD_SCRIPT_COMPONENTS; c++) {
        blocks[c] = (uint8_t)(layout.h[c] * layout.v[c]);
    }
    lod_script_fit(lod_script_named("default"), layout.components, blocks, &fitted);
    from = now_ms();
    error = lod_scans_write(jpeg, &fitted, &written);
    t->ms[WRITE] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_scans_check(lod_buf_span(&written), jpeg, true);
    t->ms[PROVE] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_scans_read(lod_buf_span(&written), MEMORY, &again);
    t->ms[READ_BACK] += now_ms() - from;
    from = now_ms();
    error = error ? error : write_theirs(file, &fitted, &written);
    t->ms[THEIR_WRITE] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_jpeg_read(lod_buf_span(&written), MEMORY, &theirs, &why);
    t->ms[THEIR_READ] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_jpeg_decode(file, &pixels, &width, &height, &channels);
    t->ms[DECODE] += now_ms() - from;
    lod_jpeg_destroy(jpeg);
    lod_jpeg_destroy(again);
    lod_jpeg_destroy(theirs);
    lod_buf_finish(&written);
    lod_buf_finish(&pixels);
    return error;
}

/* Makes the file at fidelity full as a mount does. */
static int make_full(const struct lod_encoded *item, struct lod_buf *full)
{
    struct lod_plan plan;
    int error = lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE, LOD_FULL, &plan);

    for (unsigned i = 0; i < plan.count && !error; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        error = lod_buf_append(full,
                               piece->kind == LOD_PIECE_MEM
                                   ? piece->mem
                                   : item->group[piece->group - 1].data + piece->offset,
                               piece->bytes);
    }
    return error;
}

static int time_restore(struct lod_span file, struct lod_encoded *item, struct totals *t)
{
    struct lod_buf full = {0};
    struct lod_rebuild exact;
    uint8_t *out = malloc(file.bytes);

    int error = out ? lod_encoder_pcr.join(item, LOD_SLOT_OWN) : -1;
    error = error ? error : make_full(item, &full);
    error =
        error ? error : lod_rebuild_split(lod_buf_span(&item->group[LOD_GROUPS_MAX - 1]), &exact);
    double from = now_ms();
    error = error
                ? error
                : lod_rebuild_file(lod_buf_span(&full), exact.header, exact.tail, out, file.bytes);
    t->ms[RESTORE] += now_ms() - from;
    t->restored += !error;
    error = error ? error : memcmp(out, file.at, file.bytes);
    free(out);
    lod_buf_finish(&full);
    return error;
}

static int time_encode(struct lod_span file, struct totals *t)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice, .original = true};
    struct lod_encoded item;

    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        choice.classes[c].count = 1;
        choice.classes[c].scripts[0] = lod_script_named("default");
    }
    double from = now_ms();
    options.top = 5;
    int error = lod_encoder_pcr.encode(file, &options, &item);
    t->ms[ENCODE_KEPT] += now_ms() - from;
    if (error) {
        return error;
    }
    lod_encoded_finish(&item);
    options.top = 0;
    from = now_ms();
    error = lod_encoder_pcr.encode(file, &options, &item);
    t->ms[ENCODE] += now_ms() - from;
    if (error) {
        return error;
    }
    t->bytes_in += (double)file.bytes;
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        t->bytes_out += (double)item.group[i].bytes;
    }
    if (item.header.bytes) {
        error = time_restore(file, &item, t);
    }
    t->images++;
    t->whole += item.whole != NULL;
    lod_encoded_finish(&item);
    return error;
}

int main(int argc, char **argv)
{
    struct totals t = {.images = 0};

    for (int i = 1; i < argc; i++) {
        struct lod_buf file = {0};
        if (read_file(argv[i], &file) || time_encode(lod_buf_span(&file), &t)) {
            fprintf(stderr, "%s: cannot be read or encoded\n", argv[i]);
            return EXIT_FAILURE;
        }
        if (time_steps(lod_buf_span(&file), &t)) {
            fprintf(stderr, "%s: is stored whole\n", argv[i]);
        }
        lod_buf_finish(&file);
    }
    if (!t.images) {
        fprintf(stderr, "usage: encode_jpeg FILE.jpg ..\n");
        return EXIT_FAILURE;
    }
    printf("%u images of %.1f KB on average, %u stored whole, %u rebuilt, out/in %.4f\n", t.images,
           t.bytes_in / t.images / 1000, t.whole, t.restored, t.bytes_out / t.bytes_in);
    for (unsigned i = 0; i < STEPS; i++) {
        printf("%8.2f ms an image  %s\n", t.ms[i] / t.images, step_names[i]);
    }
    return EXIT_SUCCESS;
}
