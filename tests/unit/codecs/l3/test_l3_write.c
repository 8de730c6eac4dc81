/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "png_samples.h"

static struct lod_encoded encode(struct lod_span source)
{
    const struct lod_encode_options options = {0};
    return png_encode(source, &options);
}

/* Checks that a source is stored WHOLE for this reason, and shown unchanged at every fidelity. */
static void expect_whole(const struct lod_buf *source, const char *part)
{
    struct lod_encoded item = encode(lod_buf_span(source));

    cr_assert_not_null(item.whole, "taken, not refused with '%s'", part);
    cr_assert_not_null(strstr(item.whole, part), "'%s', not '%s'", item.whole, part);
    for (unsigned fidelity = LOD_Q1; fidelity <= LOD_ORIGINAL; fidelity++) {
        struct lod_buf file = png_file_at(&item, LOD_FORMAT_TREE, (enum lod_fidelity)fidelity);
        cr_assert_eq(file.bytes, source->bytes);
        cr_assert_arr_eq(file.data, source->data, file.bytes);
        lod_buf_finish(&file);
    }
    lod_encoded_finish(&item);
}

/* Returns a PNG of zeros, 8-bit gray, that claims any size and takes about a thousandth of it. */
static struct lod_buf bomb(uint32_t width, uint32_t height, uint64_t inflated)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t zeros[65536];
    uint8_t header[13] = {[8] = 8}, *packed = malloc(inflated / 900 + 4096);
    struct lod_buf file = {0};
    z_stream z = {.next_out = packed, .avail_out = (uInt)(inflated / 900 + 4096)};

    cr_assert_eq(deflateInit(&z, 9), Z_OK);
    for (uint64_t at = 0; at < inflated; at += sizeof(zeros)) {
        z.next_in = (Bytef *)(uintptr_t)zeros;
        z.avail_in = (uInt)(inflated - at < sizeof(zeros) ? inflated - at : sizeof(zeros));
        cr_assert_eq(deflate(&z, Z_NO_FLUSH), Z_OK);
    }
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    png_put_be32(header, width);
    png_put_be32(header + 4, height);
    png_append(&file, signature, sizeof(signature));
    png_chunk(&file, "IHDR", header, sizeof(header));
    png_chunk(&file, "IDAT", packed, z.total_out);
    png_chunk(&file, "IEND", NULL, 0);
    deflateEnd(&z);
    free(packed);
    return file;
}

static long memory_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss; /* KiB */
}

/* 20000 x 20000 from 389 KB, and worse: refused by the header, before a byte is inflated. */
Test(l3_write, bombs_are_stored_whole_and_cost_nothing, .timeout = 300)
{
    struct lod_buf large = bomb(20000, 20000, 400020000);
    struct lod_buf claims = bomb(0x7fffffff, 0x7fffffff, 1 << 20);
    struct lod_buf tall = bomb(1, 0x7fffffff, 1 << 20);
    long before = memory_now();
    clock_t began = clock();

    cr_assert_lt(large.bytes, 420000);
    expect_whole(&large, "64 times");
    expect_whole(&claims, "512 MiB");
    expect_whole(&tall, "512 MiB");
    cr_assert_lt(memory_now() - before, 64 << 10);
    cr_assert_lt((double)(clock() - began) / CLOCKS_PER_SEC, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct lod_buf *file = i == 0 ? &large : i == 1 ? &claims : &tall;
        cr_assert_leq(lod_encoder_l3.memory_bytes(lod_buf_span(file)), file->bytes);
        lod_buf_finish(file);
    }
}

/* A profile or text that inflates to gigabytes is kept as any other chunk and never inflated. */
Test(l3_write, chunks_are_kept_without_being_inflated)
{
    struct png_sample s = {.width = 64, .height = 64, .depth = 8, .colour = 2, .noise = 50};
    struct lod_buf zeros = bomb(1, 1, 100 << 20), chunks = {0};
    struct lod_buf text = {0};

    png_append(&text, "Comment\0", 9);
    png_append(&text, zeros.data + 41, zeros.bytes - 57); /* as its IDAT */
    png_chunk(&chunks, "zTXt", text.data, text.bytes);
    png_chunk(&chunks, "iCCP", text.data, text.bytes);
    s.before = lod_buf_span(&chunks);
    struct lod_buf source = sample_png(&s);
    long before = memory_now();
    struct lod_encoded item = encode(lod_buf_span(&source));
    cr_assert_null(item.whole, "%s", item.whole);
    cr_assert_lt(memory_now() - before, 32 << 10);
    cr_assert_eq(item.group[8].bytes, chunks.bytes);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
    lod_buf_finish(&chunks);
    lod_buf_finish(&text);
    lod_buf_finish(&zeros);
}

/* Tiles of noise: deflate finds the repetition, patches do not. */
Test(l3_write, what_patches_do_not_shrink_stays_as_it_is)
{
    const struct png_sample s = {
        .width = 256, .height = 256, .depth = 8, .colour = 2, .level = 9, .noise = 256, .tile = 32};
    struct lod_buf tiles = sample_png(&s);

    expect_whole(&tiles, "not smaller");
    lod_buf_finish(&tiles);
}

Test(l3_write, unusual_and_damaged_files_are_stored_whole)
{
    struct png_sample s = {
        .width = 60, .height = 60, .depth = 8, .colour = 2, .noise = 90, .idat = 1};
    struct lod_buf file = sample_png(&s), chunk = {0};

    expect_whole(&file, "tiny chunks");
    lod_buf_finish(&file);
    png_chunk(&chunk, "acTL", "\0\0\0\1\0\0\0\0", 8);
    s.idat = 0;
    s.before = lod_buf_span(&chunk);
    file = sample_png(&s);
    expect_whole(&file, "animated");
    lod_buf_finish(&file);
    lod_buf_finish(&chunk);
    s.before.bytes = 0;
    s.level = 6;
    file = sample_png(&s);
    const size_t bytes = file.bytes;
    file.bytes = bytes - 12;
    expect_whole(&file, "truncated");
    file.bytes = 20;
    expect_whole(&file, "truncated");
    file.bytes = bytes;
    file.data[bytes / 2] ^= 1;
    expect_whole(&file, "CRC");
    png_put_be32(file.data + bytes - 16, crc32_z(0, file.data + 37, bytes - 53));
    expect_whole(&file, "libpng");
    lod_buf_finish(&file);
}

/* The same bytes at every run. */
Test(l3_write, is_deterministic)
{
    const struct png_sample s = {.width = 300, .height = 200, .depth = 8, .colour = 6, .noise = 30};
    struct lod_buf source = sample_png(&s);
    struct lod_encoded a = encode(lod_buf_span(&source)), b = encode(lod_buf_span(&source));

    cr_assert_arr_eq(a.row, b.row, LOD_ROW_BYTES);
    cr_assert_arr_eq(a.group[7].data, b.group[7].data, a.group[7].bytes);
    lod_encoded_finish(&a);
    lod_encoded_finish(&b);
    lod_buf_finish(&source);
}
