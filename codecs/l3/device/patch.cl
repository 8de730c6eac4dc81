/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes patches on a device: one work group for each patch, one thread for each column. This is
 * the kernel of batch.c and follows patch_rows.cl; its C twin is lod_l3_patch_decode. FORMAT.md, L3
 * stream.
 *
 * In mode small the first 32 threads are the 32 lanes. Lanes that take a word take consecutive
 * ones, so a lane's word is found by counting the lanes before it that take one too.
 *
 * All threads of a group follow the same path, so all reach each BARRIER. Values read from the
 * patch are checked before they are used. status is 0, or 1 for a malformed patch.
 */
#define FLOOR   65536u
#define ESCAPE  (1u << 18)
#define CLASSES 1024u

/* A patch as the host describes it, in u32 words. */
#define PATCH_WORDS  8
#define PATCH_AT     0 /* offset of its bytes in input 1 */
#define PATCH_BYTES  1
#define PATCH_SIZE   2 /* width, height << 16 */
#define PATCH_SAMPLE 3 /* samples, bits << 8 */
#define PATCH_TABLES 4 /* offset in input 2; 0xffffffff: no tables */
#define PATCH_OUT    5
#define PATCH_STRIDE 6

/* Offset of a field of struct lod_rans_tables. */
#define TABLES_CLASS_OF (8 * 1024 * 4)

DEVICE bool packed(struct patch p, bool green, GLOBAL const u8 *bytes, GLOBAL u8 *into,
                   SHARED_PTR struct shared *s)
{
    u32 runs = p.height * p.samples, blocks = (p.width + 15) / 16, groups = (p.width + 7) / 8;
    u32 widths_of_run = (blocks + 1) / 2, widths = 1 + (runs + 1) / 2;
    u32 at = widths + runs * widths_of_run;
    bool sound = at <= p.bytes;

    for (u32 run = 0; run < runs && sound; run++) {
        u32 y = run / p.samples, plane = run % p.samples, mine = 0, width = 0;
        u32 predictor = nibble(bytes, p.bytes, 1, run), from = widths + run * widths_of_run;
        u32 next = at;
        for (u32 g = 0; g < groups; g++) {
            u32 bits = width_of(nibble(bytes, p.bytes, from, g / 2));
            if (g == THREAD / 8) {
                mine = next;
                width = bits;
            }
            sound = sound && bits <= p.bits;
            next += bits;
        }
        sound = sound && predictor < 6 && next <= p.bytes;
        u32 value = sound ? field(bytes, p.bytes, mine, THREAD % 8, width) : 0;
        u32 residual = THREAD < p.width ? (value - (1u << width >> 1)) & 0xffff : 0;
        rebuild(p, predictor, residual, y, plane, s);
        if (plane + 1 == p.samples) {
            store(p, green, y, into, s);
        }
        at = next;
    }
    return sound && at == p.bytes;
}

DEVICE bool paper(struct patch p, GLOBAL const u8 *bytes, GLOBAL u8 *into,
                  SHARED_PTR struct shared *s)
{
    u32 runs = p.height * p.samples, base_bytes = p.bits == 16 ? 2 : 1;
    u32 widths = 1 + runs * base_bytes, at = widths + (runs + 1) / 2, groups = (p.width + 7) / 8;
    bool sound = at <= p.bytes;

    for (u32 run = 0; run < runs && sound; run++) {
        u32 y = run / p.samples, plane = run % p.samples;
        u32 width = width_of(nibble(bytes, p.bytes, widths, run)), place = 1 + run * base_bytes;
        u32 base = byte_at(bytes, p.bytes, place);
        if (base_bytes == 2) {
            base |= byte_at(bytes, p.bytes, place + 1) << 8;
        }
        sound = width <= p.bits && at + width * groups <= p.bytes;
        u32 value = sound ? field(bytes, p.bytes, at, THREAD, width) : 0;
        rebuild(p, 1, THREAD < p.width ? (value + base) & 0xffff : 0, y, plane, s);
        if (plane + 1 == p.samples) {
            store(p, false, y, into, s);
        }
        at += width * groups;
    }
    return sound && at == p.bytes;
}

/* A lane of mode small, and the next word of all lanes. */
struct lane {
    u32 state;
    u32 place; /* words taken by all lanes so far */
    u32 words;
    bool past;
};

/* Refills the lanes below the floor, in their order. `on`: this thread is a lane with a symbol. */
DEVICE void refill(struct lane *lane, bool on, GLOBAL const u8 *words, SHARED_PTR struct shared *s)
{
    bool low = on && lane->state < FLOOR;
    u32 all = lanes_with(low, s);
    u32 before = count_ones(all & ((1u << THREAD % LANES) - 1));

    if (low) {
        u32 at = lane->place + before;
        if (at < lane->words) {
            lane->state = lane->state << 16 | words[2 * at] | (u32)words[2 * at + 1] << 8;
        } else {
            lane->past = true;
            lane->state = FLOOR;
        }
    }
    lane->place += count_ones(all);
}

/* Decodes the residual of this lane's column; `slot` is the table of its class. */
DEVICE u32 symbol(struct patch p, struct lane *lane, bool on, GLOBAL const u32 *slot,
                  GLOBAL const u8 *words, SHARED_PTR struct shared *s)
{
    u32 entry = 0, open = 0, value = 0;

    if (on) {
        entry = slot[lane->state % CLASSES];
        lane->state = (entry >> 21) * (lane->state >> 10) + (entry >> 8) % CLASSES;
    }
    refill(lane, on, words, s);
    bool escape = (entry & ESCAPE) != 0;
    u32 token = entry & 255;
    if (escape) {
        open = p.bits == 16 ? 16 : 8;
    } else if (p.bits == 16) {
        token %= 64;
        open = token < 16 ? 0 : token / 4 - 2;
        value = open ? (4 + token % 4) << open : token;
    } else {
        value = token;
    }
    if (on && open) {
        value |= lane->state & ((1u << open) - 1);
        lane->state >>= open;
    }
    refill(lane, on && open, words, s);
    return p.bits == 16 && !escape ? (value >> 1 ^ (0u - (value & 1))) & 0xffff : value;
}

DEVICE i32 as_signed(u32 value, u32 bits)
{
    u32 sign = bits == 16 ? 0x8000 : 128;

    return (i32)((value & (2 * sign - 1)) ^ sign) - (i32)sign;
}

DEVICE u32 size_of(i32 value)
{
    return (u32)(value < 0 ? -value : value);
}

DEVICE u32 activity(struct patch p, u32 sum)
{
    if (p.bits == 16 && sum >= 8) {
        u32 e = highest_bit(sum);
        sum = (e - 2) * 8 + (sum >> (e - 3) & 7);
    }
    return sum < 127 ? sum : 127;
}

/* Returns the class of this thread's column, from the row above. */
DEVICE u32 class_here(struct patch p, u32 y, u32 plane, GLOBAL const u8 *tables,
                      SHARED_PTR const struct shared *s)
{
    SHARED_PTR const u16 *t = s->row[(y + 1) % 2][plane] + 1 + THREAD;
    SHARED_PTR const u16 *m = s->magnitude[plane] + 1 + THREAD;
    u32 sum = size_of(as_signed((u32)(t[0] - t[-1]), p.bits)) +
              size_of(as_signed((u32)(t[0] - t[1]), p.bits)) + m[-1] + 2u * m[0] + m[1];

    return tables[TABLES_CLASS_OF + plane * 128 + activity(p, sum)];
}

/* Stores the magnitude of this thread's residual for the row below, and the margins beside it. */
DEVICE void keep_magnitude(struct patch p, u32 plane, u32 residual, SHARED_PTR struct shared *s)
{
    SHARED_PTR u16 *row = s->magnitude[plane];
    u16 size = (u16)size_of(as_signed(residual, p.bits));

    if (THREAD < p.width) {
        row[1 + THREAD] = size;
        if (THREAD == 0) {
            row[0] = size;
        }
        if (THREAD == p.width - 1) {
            row[p.width + 1] = size;
        }
    }
}

/* Decodes the residuals of a run into s->residual. */
DEVICE void take_run(struct patch p, struct lane *lane, GLOBAL const u8 *tables,
                     GLOBAL const u8 *words, SHARED_PTR struct shared *s)
{
    for (u32 x = 0; x < p.width; x += LANES) {
        bool on = THREAD < LANES && x + THREAD < p.width;
        u32 class_number = on ? s->class_of[x + THREAD] : 0;
        u32 value =
            symbol(p, lane, on, (GLOBAL const u32 *)tables + class_number * CLASSES, words, s);
        if (on) {
            s->residual[x + THREAD] = (u16)value;
        }
    }
    BARRIER();
}

DEVICE bool small(struct patch p, bool green, GLOBAL const u8 *bytes, GLOBAL const u8 *tables,
                  GLOBAL u8 *into, SHARED_PTR struct shared *s)
{
    u32 runs = p.height * p.samples, lanes = p.width < LANES ? p.width : LANES;
    u32 states = 1 + (runs + 1) / 2, words = states + 4 * lanes;
    bool sound = words <= p.bytes && (p.bytes - words) % 2 == 0;
    struct lane lane = {FLOOR, 0, sound ? (p.bytes - words) / 2 : 0, false};

    if (sound && THREAD < lanes) {
        u32 at = states + 4 * THREAD;
        lane.state = bytes[at] | (u32)bytes[at + 1] << 8 | (u32)bytes[at + 2] << 16 |
                     (u32)bytes[at + 3] << 24;
    }
    for (u32 run = 0; run < runs && sound; run++) {
        u32 y = run / p.samples, plane = run % p.samples;
        u32 predictor = nibble(bytes, p.bytes, 1, run);
        if (THREAD < p.width) {
            s->class_of[THREAD] = (u8)class_here(p, y, plane, tables, s);
        }
        BARRIER();
        take_run(p, &lane, tables, bytes + words, s);
        u32 residual = THREAD < p.width ? s->residual[THREAD] : 0;
        keep_magnitude(p, plane, residual, s);
        sound = predictor < 6;
        rebuild(p, predictor, residual, y, plane, s);
        if (plane + 1 == p.samples) {
            store(p, green, y, into, s);
        }
    }
    if (THREAD < lanes && (lane.past || lane.place != lane.words || lane.state != FLOOR)) {
        s->bad = 1;
    }
    return sound;
}

DEVICE bool flat(struct patch p, GLOBAL const u8 *bytes, GLOBAL u8 *into)
{
    u32 pixel = p.samples * (p.bits == 16 ? 2 : 1), above = p.bits < 8 ? 0xffu << p.bits & 0xff : 0;

    if (p.bytes != 1 + pixel || bytes[0] != 3) {
        return false;
    }
    for (u32 i = 1; i <= pixel; i++) {
        if (bytes[i] & above) {
            return false;
        }
    }
    for (u32 y = 0; y < p.height && THREAD < p.width; y++) {
        for (u32 i = 0; i < pixel; i++) {
            into[y * p.stride + THREAD * pixel + i] = bytes[1 + i];
        }
    }
    return true;
}

DEVICE void clear(SHARED_PTR struct shared *s)
{
    for (u32 i = THREAD; i < 4 * ROW; i += THREADS_OF_GROUP) {
        s->row[0][i / ROW][i % ROW] = 0;
        s->row[1][i / ROW][i % ROW] = 0;
        s->magnitude[i / ROW][i % ROW] = 4;
    }
    if (THREAD == 0) {
        s->bad = 0;
    }
    BARRIER();
}

ENTRY(lod_l3_patches)
{
    SHARED struct shared s;
    GLOBAL const u32 *word = (GLOBAL const u32 *)(arena + in0) + GROUP * PATCH_WORDS;
    GLOBAL const u8 *bytes = arena + in1 + word[PATCH_AT];
    GLOBAL u8 *into = arena + out + word[PATCH_OUT];
    u32 bits = word[PATCH_SAMPLE] >> 8, tables = word[PATCH_TABLES];
    struct patch p = {word[PATCH_SIZE] & 0xffff,
                      word[PATCH_SIZE] >> 16,
                      word[PATCH_SAMPLE] & 255,
                      bits,
                      (1u << bits) - 1,
                      word[PATCH_BYTES],
                      word[PATCH_STRIDE]};
    u32 kind = p.bytes ? bytes[0] : 8;
    bool green = (kind & 4) != 0, sound = false;

    clear(&s);
    if (kind > 7 || (green && (p.samples < 3 || kind % 4 > 1))) {
        sound = false;
    } else if (kind % 4 == 0) {
        sound = tables != 0xffffffffu &&
                small(p, green, bytes, arena + in2 + tables, into, &s);
    } else if (kind % 4 == 1) {
        sound = packed(p, green, bytes, into, &s);
    } else if (kind % 4 == 2) {
        sound = paper(p, bytes, into, &s);
    } else {
        sound = flat(p, bytes, into);
    }
    BARRIER();
    if (THREAD == 0) {
        ((GLOBAL u32 *)(arena + status))[GROUP] = sound && !s.bad ? 0 : 1;
    }
}
