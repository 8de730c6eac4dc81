/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar of samples, as WebDataset reads it: the files of a sample one after the other, then its
 * label as STEM.cls. WebDataset ignores the case of endings, and stops where two are equal. So of
 * such files one is left out. Headers are those of POSIX.1-1988 (ustar). A path that does not fit
 * there is preceded by GNU's entry of type L, since pax headers would require names in UTF-8.
 */
#include "framing/framing.h"

#include <string.h>

#define BLOCK        512u
#define NAME_MAX_TAR 100u
#define PREFIX_MAX   155u
#define SECONDS_MAX  077777777777ll /* 11 octal digits */
#define SECONDS_AT   30             /* mtime: seconds * 2^30 + nanoseconds */
#define LABEL_BYTES  10             /* "2147483647" */

/* Places in a header. */
enum {
    NAME_AT = 0,
    MODE_AT = 100,
    UID_AT = 108,
    GID_AT = 116,
    SIZE_AT = 124,
    MTIME_AT = 136,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    FIELDS_END = 272, /* the end of the magic, rounded up to whole words */
    PREFIX_AT = 345,
};

/* An entry of the archive. `name` and `ending` follow each other. */
struct entry {
    const char *name, *ending;
    size_t name_bytes, ending_bytes;
    uint64_t bytes;
    int64_t mtime;
    uint16_t mode;
};

static unsigned padding(uint64_t bytes)
{
    return (unsigned)(-bytes % BLOCK);
}

/* ------------------------------------------------------------------------------ headers */

/* Returns where a path is cut into prefix and name; 0: nowhere, all of it is the name. */
static size_t prefix_of(const struct entry *entry)
{
    size_t at = entry->name_bytes < PREFIX_MAX ? entry->name_bytes : PREFIX_MAX;

    while (at > 0 && (at == entry->name_bytes || entry->name[at] != '/')) {
        at--;
    }
    return at;
}

/* Returns whether the path fits into a header. *ret_prefix is where it is cut into the two fields;
 * 0: it fits into the name field. */
static bool fits(const struct entry *entry, size_t *ret_prefix)
{
    const size_t all = entry->name_bytes + entry->ending_bytes;

    *ret_prefix = all <= NAME_MAX_TAR ? 0 : prefix_of(entry);
    return all - (*ret_prefix ? *ret_prefix + 1 : 0) <= NAME_MAX_TAR;
}

/* The L entry: a header, and the path with a NUL, padded. */
static unsigned long_name_bytes(const struct entry *entry)
{
    const size_t text = entry->name_bytes + entry->ending_bytes + 1;

    return BLOCK + (unsigned)text + padding(text);
}

static unsigned header_bytes(const struct entry *entry)
{
    size_t prefix;

    return BLOCK + (fits(entry, &prefix) ? 0 : long_name_bytes(entry));
}

static void put_octal(uint8_t *at, unsigned digits, uint64_t value)
{
    for (unsigned i = digits; i > 0; i--, value >>= 3) {
        at[i - 1] = (uint8_t)('0' + (value & 7));
    }
}

#define EVEN_BYTES 0x00ff00ff00ff00ffull

/* Adds up the bytes of a header in four lanes of 16 bits. Each lane gets 128 bytes, so at most 128
 * x 255 = 32,640. Without a prefix all bytes after the magic are zero. */
static unsigned sum_of(const uint8_t header[BLOCK])
{
    const unsigned end = header[PREFIX_AT] ? BLOCK : FIELDS_END;
    uint64_t lanes = 0, word;
    unsigned sum = 0;

    for (unsigned i = 0; i < end; i += sizeof(word)) {
        memcpy(&word, header + i, sizeof(word));
        lanes += (word & EVEN_BYTES) + (word >> 8 & EVEN_BYTES);
    }
    for (; lanes; lanes >>= 16) {
        sum += lanes & 0xffff;
    }
    return sum;
}

/* The fields that all headers have; the checksum is taken over all others. */
static void seal(uint8_t header[BLOCK], char type, uint16_t mode, uint64_t bytes, uint64_t seconds)
{
    put_octal(header + MODE_AT, 7, mode);
    memset(header + UID_AT, '0', 7);
    memset(header + GID_AT, '0', 7);
    put_octal(header + SIZE_AT, 11, bytes);
    put_octal(header + MTIME_AT, 11, seconds);
    header[TYPE_AT] = (uint8_t)type;
    memset(header + SUM_AT, ' ', 8);
    put_octal(header + SUM_AT, 6, sum_of(header));
    header[SUM_AT + 6] = '\0';
}

/* Copies bytes [from, from + count) of the entry's path; `from` is in the name or at its end. */
static void copy_path(const struct entry *entry, size_t from, size_t count, uint8_t *into)
{
    const size_t left = entry->name_bytes - from, own = left < count ? left : count;

    memcpy(into, entry->name + from, own);
    memcpy(into + own, entry->ending, count - own);
}

static uint8_t *put_long_name(const struct entry *entry, uint8_t *into)
{
    const size_t text = entry->name_bytes + entry->ending_bytes;

    memset(into, 0, long_name_bytes(entry));
    memcpy(into + NAME_AT, "././@LongLink", 13);
    memcpy(into + MAGIC_AT, "ustar  ", 8);
    seal(into, 'L', 0, text + 1, 0);
    copy_path(entry, 0, text, into + BLOCK);
    return into + long_name_bytes(entry);
}

static uint64_t seconds_of(int64_t mtime)
{
    const int64_t seconds = mtime >> SECONDS_AT;

    return seconds < 0 ? 0 : (uint64_t)(seconds > SECONDS_MAX ? SECONDS_MAX : seconds);
}

static void put_header(const struct entry *entry, uint8_t *into)
{
    const size_t all = entry->name_bytes + entry->ending_bytes;
    size_t prefix;

    if (!fits(entry, &prefix)) {
        into = put_long_name(entry, into);
        prefix = 0;
    }
    const size_t skip = prefix ? prefix + 1 : 0;
    memset(into, 0, BLOCK);
    copy_path(entry, 0, prefix, into + PREFIX_AT);
    copy_path(entry, skip, all - skip < NAME_MAX_TAR ? all - skip : NAME_MAX_TAR, into + NAME_AT);
    memcpy(into + MAGIC_AT,
           "ustar\0"
           "00",
           8);
    seal(into, '0', entry->mode & 0777, entry->bytes, seconds_of(entry->mtime));
}

/* ------------------------------------------------------------------------------ samples */

static struct entry entry_of(const struct lod_framed_file *file)
{
    return (struct entry){.name = file->name,
                          .name_bytes = file->name_bytes,
                          .ending = "",
                          .bytes = file->bytes,
                          .mtime = file->mtime,
                          .mode = file->mode};
}

/* STEM.cls, whose contents have `bytes` bytes. */
static struct entry label_of(const struct lod_framed_sample *sample, size_t bytes)
{
    struct entry entry = entry_of(&sample->file[sample->lead]);

    entry.name_bytes = sample->stem_bytes;
    entry.ending = ".cls";
    entry.ending_bytes = 4;
    entry.bytes = bytes;
    return entry;
}

/* Writes the label in decimal and returns the digits; it is not negative. It is faster than
 * snprintf, which matters: every sample needs it several times. */
static size_t label_text(const struct lod_framed_sample *sample, char text[LABEL_BYTES])
{
    uint32_t left = (uint32_t)sample->label;
    size_t digits = 1;

    for (uint32_t above = left / 10; above; above /= 10) {
        digits++;
    }
    for (size_t i = digits; i > 0; i--, left /= 10) {
        text[i - 1] = (char)('0' + left % 10);
    }
    return digits;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(const char *a, const char *b, size_t bytes)
{
    size_t at = 0;

    while (at < bytes && lower(a[at]) == lower(b[at])) {
        at++;
    }
    return at == bytes;
}

/* Returns whether a file is left out: it has the name of the lead or of a file before it, in
 * letters of another case. */
static bool is_left_out(const struct lod_framed_sample *sample, unsigned file)
{
    const struct lod_framed_file *of = &sample->file[file];
    bool left_out = false;

    for (unsigned i = 0; !left_out && i < sample->count; i++) {
        const struct lod_framed_file *other = &sample->file[i];
        left_out = (i < file || i == sample->lead) && i != file && file != sample->lead &&
                   other->name_bytes == of->name_bytes &&
                   is_same(other->name, of->name, of->name_bytes);
    }
    return left_out;
}

/* Returns the file of a stretch; sample->count for those behind the last file. */
static unsigned file_of(const struct lod_framed_sample *sample, unsigned number)
{
    unsigned file = 0;

    while (file < sample->count && (is_left_out(sample, file) || number-- > 0)) {
        file++;
    }
    return file;
}

/* Returns whether the framing adds a .cls file with the label. If the source has a file of that
 * name, that one is shown instead. */
static bool has_label(const struct lod_framed_sample *sample)
{
    for (unsigned i = 0; i < sample->count; i++) {
        const struct lod_framed_file *file = &sample->file[i];
        if (file->name_bytes == sample->stem_bytes + 4 &&
            is_same(file->name + sample->stem_bytes, ".cls", 4)) {
            return false;
        }
    }
    return sample->label >= 0;
}

static unsigned stretches(const struct lod_framed_sample *sample)
{
    unsigned files = 0;

    for (unsigned i = 0; i < sample->count; i++) {
        files += !is_left_out(sample, i);
    }
    return files + has_label(sample);
}

/* The text of the label follows the header. */
static void put_label(const struct entry *entry, const char *text, uint8_t *into)
{
    put_header(entry, into);
    into += header_bytes(entry);
    memset(into, 0, BLOCK);
    memcpy(into, text, entry->bytes);
}

static void stretch(const struct lod_framed_sample *sample, unsigned number,
                    struct lod_stretch *ret, uint8_t *head)
{
    const unsigned file = file_of(sample, number);
    char text[LABEL_BYTES];

    if (file < sample->count) {
        const struct entry entry = entry_of(&sample->file[file]);
        *ret = (struct lod_stretch){.head_bytes = header_bytes(&entry),
                                    .file = &sample->file[file],
                                    .bytes = entry.bytes,
                                    .tail_bytes = padding(entry.bytes)};
        if (head) {
            put_header(&entry, head);
        }
        return;
    }
    const struct entry entry = label_of(sample, label_text(sample, text));
    *ret = (struct lod_stretch){.head_bytes = header_bytes(&entry) + BLOCK};
    if (head) {
        put_label(&entry, text, head);
    }
}

static void tail(const struct lod_framed_sample *sample, unsigned number, uint32_t crc,
                 uint8_t *into)
{
    (void)crc;
    memset(into, 0, padding(sample->file[file_of(sample, number)].bytes));
}

const struct lod_framing lod_framing_tar = {
    .folder = "tar",
    .ending = ".tar",
    .format = LOD_FORMAT_TAR,
    .trailer_bytes = 2 * BLOCK,
    .stretches = stretches,
    .stretch = stretch,
    .tail = tail,
};
