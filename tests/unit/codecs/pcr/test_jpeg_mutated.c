/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged JPEG files by the thousand, the same at every run. LODFS_MUTATIONS=n makes n of them;
 * LODFS_MUTATION_SEED selects others. A file that breaks the property is left in
 * LODFS_MUTATION_OUT.
 */
#include <sys/resource.h>
#include <time.h>

#include "../../../fuzz/jpeg_property.h"
#include "jpeg_samples.h"

#define MUTATIONS     3000
#define FILE_MAX      65536u
#define SEGMENTS_MAX  64
#define SECONDS_MAX   1.0
#define GROWTH_KB_MAX 65536

static const struct sample samples[] = {
    {.width = 24, .height = 24, .h = {2}, .v = {2}},
    {.width = 33, .height = 18, .h = {2}, .restart = 1},
    {.width = 40, .height = 40, .progressive = true, .h = {2}, .v = {2}},
    {.width = 17, .height = 9, .components = 1},
    {.width = 20, .height = 30, .components = 4},
    {.width = 20, .height = 30, .components = 4, .space = JCS_YCCK, .progressive = true},
    {.width = 31, .height = 31, .scan_a_component = true, .restart = 2},
    {.width = 16, .height = 16, .orientation = 6, .icc_bytes = 100, .comment_bytes = 20},
    {.width = 9, .height = 50, .space = JCS_RGB, .trailing = "after the end"},
    {.width = 64, .height = 8, .h = {4}, .quality = 100},
    {.width = 20, .height = 20, .arithmetic = true},
    {.width = 50, .height = 30, .progressive = true, .restart = 1, .bare = true},
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

struct mutant {
    uint8_t at[FILE_MAX];
    size_t bytes;
    uint64_t state;
    size_t segment[SEGMENTS_MAX + 1]; /* offset of each; the last entry is the end of the file */
    unsigned segments;
};

static uint32_t below(struct mutant *m, size_t bound)
{
    return bound ? sample_random(&m->state) % (uint32_t)bound : 0;
}

static void find_segments(struct mutant *m)
{
    size_t at = 2;

    m->segments = 0;
    while (at + 4 <= m->bytes && m->at[at] == 0xff && m->segments < SEGMENTS_MAX) {
        bool sos = m->at[at + 1] == 0xda;
        m->segment[m->segments++] = at;
        at += 2u + (unsigned)(m->at[at + 2] << 8 | m->at[at + 3]);
        while (sos && at + 1 < m->bytes &&
               !(m->at[at] == 0xff && m->at[at + 1] && (m->at[at + 1] & 0xf8) != 0xd0)) {
            at++;
        }
    }
    m->segment[m->segments] = at < m->bytes ? at : m->bytes;
}

static void cut_out(struct mutant *m, size_t from, size_t bytes)
{
    bytes = bytes < m->bytes - from ? bytes : m->bytes - from;
    memmove(m->at + from, m->at + from + bytes, m->bytes - from - bytes);
    m->bytes -= bytes;
}

static void put_in(struct mutant *m, size_t to, const uint8_t *what, size_t bytes)
{
    uint8_t copy[4096];

    if (bytes > sizeof(copy) || m->bytes + bytes > FILE_MAX) {
        return;
    }
    memcpy(copy, what, bytes);
    memmove(m->at + to + bytes, m->at + to, m->bytes - to);
    memcpy(m->at + to, copy, bytes);
    m->bytes += bytes;
}

static void flip_bits(struct mutant *m)
{
    size_t from = below(m, 2) ? m->segment[m->segments ? m->segments - 1 : 0] : 2;
    for (uint32_t n = below(m, 4) + 1; n && from < m->bytes; n--) {
        m->at[from + below(m, m->bytes - from)] ^= (uint8_t)(1u << below(m, 8));
    }
}

static void set_byte(struct mutant *m)
{
    const uint8_t values[] = {0, 1, 2, 0x11, 0x22, 0x41, 0x3f, 0x7f, 0x80, 0xd0, 0xd9, 0xda, 0xff};
    m->at[below(m, m->bytes)] = values[below(m, sizeof(values))];
}

/* Sets a byte of a header segment, where every value has a meaning. */
static void set_field(struct mutant *m)
{
    if (m->segments) {
        uint32_t s = below(m, m->segments);
        size_t at = m->segment[s] + below(m, 20);
        if (at < m->bytes) {
            m->at[at] = (uint8_t)(below(m, 2) ? below(m, 256) : m->at[at] + below(m, 5) - 2);
        }
    }
}

static void move_segment(struct mutant *m)
{
    if (m->segments < 2) {
        return;
    }
    uint32_t from = below(m, m->segments), to = below(m, m->segments), how = below(m, 3);
    size_t at = m->segment[from], bytes = m->segment[from + 1] - at;
    if (how != 0) { /* copied, or moved */
        put_in(m, m->segment[to], m->at + at, bytes);
        at += to <= from && how == 1 ? bytes : 0;
    }
    if (how != 2) { /* dropped, or moved */
        cut_out(m, at, bytes);
    }
}

static void insert_marker(struct mutant *m)
{
    const uint8_t markers[][16] = {
        {0xff, 0xd9},
        {0xff, 0xd0},
        {0xff, 0xdd, 0, 4, 0, 2},
        {0xff, 0xdc, 0, 4, 0, 9},
        {0xff, 0xfe, 0, 4, 1, 1},
        {0xff, 0xd8},
        {0xff, 1},
        {0xff, 0xff, 0xff},
        {0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 1},
        {0xff, 0xcc, 0, 2}};
    const uint8_t bytes[] = {2, 2, 6, 6, 6, 2, 2, 3, 16, 4};
    uint32_t which = below(m, sizeof(bytes));
    size_t at =
        below(m, 3) && m->segments ? m->segment[below(m, m->segments + 1)] : below(m, m->bytes);
    put_in(m, at, markers[which], bytes[which]);
}

static void cut_or_repeat(struct mutant *m)
{
    size_t at = below(m, m->bytes), bytes = below(m, 40) + 1u;
    bytes = bytes < m->bytes - at ? bytes : m->bytes - at;
    if (below(m, 4) == 0) {
        m->bytes = at + 1;
    } else if (below(m, 2)) {
        cut_out(m, at, bytes);
    } else {
        put_in(m, below(m, m->bytes), m->at + at, bytes);
    }
}

/* Puts the head of one file before the scans of another. */
static void splice(struct mutant *m, const struct lod_buf *other)
{
    const uint8_t *sos = memmem(other->data, other->bytes, "\xff\xda", 2);
    if (m->segments && sos) {
        m->bytes = m->segment[below(m, m->segments)];
        put_in(m, m->bytes, sos, (size_t)(other->data + other->bytes - sos));
    }
}

static void mutate(struct mutant *m, const struct lod_buf *files)
{
    const struct lod_buf *from = &files[below(m, SAMPLES)];

    memcpy(m->at, from->data, from->bytes);
    m->bytes = from->bytes;
    for (uint32_t n = below(m, 3) + 1; n && m->bytes > 4; n--) {
        find_segments(m);
        switch (below(m, 8)) {
        case 0:
            flip_bits(m);
            break;
        case 1:
            set_byte(m);
            break;
        case 2:
        case 3:
            set_field(m);
            break;
        case 4:
            move_segment(m);
            break;
        case 5:
            insert_marker(m);
            break;
        case 6:
            cut_or_repeat(m);
            break;
        default:
            splice(m, &files[below(m, SAMPLES)]);
        }
    }
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void leave_file(const struct mutant *m)
{
    const char *path = getenv("LODFS_MUTATION_OUT");
    FILE *out = path ? fopen(path, "wb") : NULL;
    if (out) {
        fwrite(m->at, 1, m->bytes, out);
        fclose(out);
    }
}

static long memory_kb(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

Test(jpeg_mutated, damaged_files_are_whole_or_decode_to_the_same_pixels, .timeout = 36000)
{
    static struct mutant m;
    struct lod_buf files[SAMPLES];
    uint64_t runs = number("LODFS_MUTATIONS", MUTATIONS), transcoded = 0;
    uint64_t seed = number("LODFS_MUTATION_SEED", 0);
    double slowest = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        files[i] = sample_jpeg(&samples[i]);
    }
    long before_kb = memory_kb();
    for (uint64_t i = 0; i < runs; i++) {
        m.state = seed * 1000003 + i;
        mutate(&m, files);
        uint8_t *exact = malloc(
            m.bytes); /* exactly as long, so that a sanitizer sees every access past the end */
        cr_assert_not_null(exact);
        memcpy(exact, m.at, m.bytes);
        const char *whole = NULL;
        double start = seconds();
        const char *broken =
            jpeg_property((struct lod_span){.at = exact, .bytes = m.bytes}, &whole);
        double took = seconds() - start;
        slowest = took > slowest ? took : slowest;
        if (broken || took > SECONDS_MAX) {
            leave_file(&m);
        }
        free(exact);
        cr_assert_null(broken, "mutation %lu of seed %lu: %s", i, seed, broken);
        cr_assert_leq(took, SECONDS_MAX, "mutation %lu of seed %lu took %.1f s", i, seed, took);
        transcoded += !whole;
    }
    long growth_kb = memory_kb() - before_kb;
    printf("%lu mutations, %lu transcoded, slowest %.3f s, memory + %ld KiB\n", runs, transcoded,
           slowest, growth_kb);
    cr_assert_gt(transcoded, runs / 20, "the test tests nothing if all are stored whole");
    cr_assert(sample_sanitized() || growth_kb <= GROWTH_KB_MAX);
    for (size_t i = 0; i < SAMPLES; i++) {
        lod_buf_finish(&files[i]);
    }
}
