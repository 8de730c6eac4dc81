/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions for all kinds of patches in patch.cl: the memory of a work group, fields of a few bits,
 * and rows rebuilt with one thread for each column. A row needs only the row above, which all
 * threads see. The two predictors that use the left neighbour are prefix sums. FORMAT.md, L3
 * stream.
 */
#define SIDE_MAX 128
#define ROW      (SIDE_MAX + 2)
#define LANES    32

struct shared {
    u32 sum[SIDE_MAX];
    u32 ballot;
    u32 bad;
    u16 row[2][4][ROW];
    u16 magnitude[4][ROW];
    u16 residual[SIDE_MAX];
    u8 class_of[SIDE_MAX];
};

struct patch {
    u32 width, height, samples, bits, mask;
    u32 bytes;
    u32 stride;
};

/* Returns a mask of the threads below 32 whose flag is set; valid in those threads. */
DEVICE u32 lanes_with(bool flag, SHARED_PTR struct shared *s)
{
#ifdef __OPENCL_VERSION__
    BARRIER();
    if (THREAD == 0) {
        s->ballot = 0;
    }
    BARRIER();
    if (flag) {
        atomic_or(&s->ballot, 1u << (THREAD % LANES));
    }
    BARRIER();
    return s->ballot;
#else
    return __ballot_sync(0xffffffffu, flag);
#endif
}

DEVICE u32 count_ones(u32 mask)
{
#ifdef __OPENCL_VERSION__
    return popcount(mask);
#else
    return __popc(mask);
#endif
}

DEVICE u32 highest_bit(u32 value)
{
#ifdef __OPENCL_VERSION__
    return 31 - clz(value);
#else
    return 31 - __clz(value);
#endif
}

DEVICE u32 byte_at(GLOBAL const u8 *bytes, u32 end, u32 at)
{
    return at < end ? bytes[at] : 0;
}

DEVICE u32 nibble(GLOBAL const u8 *bytes, u32 end, u32 from, u32 index)
{
    return byte_at(bytes, end, from + index / 2) >> (index % 2 * 4) & 15;
}

DEVICE u32 width_of(u32 code)
{
    return code + code / 15;
}

/* Returns field number `index` of `width` bits; field 0 begins at byte `from`. */
DEVICE u32 field(GLOBAL const u8 *bytes, u32 end, u32 from, u32 index, u32 width)
{
    u32 bit = index * width, at = from + bit / 8;
    u32 value = byte_at(bytes, end, at) | byte_at(bytes, end, at + 1) << 8 |
                byte_at(bytes, end, at + 2) << 16;

    return value >> bit % 8 & ((1u << width) - 1);
}

DEVICE u32 distance(i32 a, i32 b)
{
    return (u32)(a < b ? b - a : a - b);
}

DEVICE u32 paeth(i32 tl, i32 t, i32 tr)
{
    u32 from_tl = distance(t, tr), from_t = distance(tl + tr, 2 * t), from_tr = distance(t, tl);
    i32 closest = from_t <= from_tr ? t : tr;

    return (u32)(from_tl <= from_t && from_tl <= from_tr ? tl : closest);
}

/* Returns the prediction of this column from the row above; LEFT and SLOPE start at `first`. */
DEVICE u32 from_above(u32 predictor, SHARED_PTR const u16 *t, u32 first)
{
    switch (predictor) {
    case 1:
        return paeth(t[-1], t[0], t[1]);
    case 3:
        return first;
    case 4:
        return (t[0] + t[1] + 1u) / 2;
    case 5:
        return (t[-1] + 2u * t[0] + t[1] + 2u) / 4;
    default:
        return t[0];
    }
}

/* Returns the prefix sum of the residuals up to this thread's. */
DEVICE u32 running_sum(u32 residual, SHARED_PTR struct shared *s)
{
    u32 x = THREAD;

    s->sum[x] = residual;
    BARRIER();
    for (u32 step = 1; step < SIDE_MAX; step *= 2) {
        u32 more = x >= step ? s->sum[x - step] : 0;
        BARRIER();
        s->sum[x] += more;
        BARRIER();
    }
    return s->sum[x];
}

/* Writes this column's sample into the row, and the margins. On return the whole row is written. */
DEVICE void rebuild(struct patch p, u32 predictor, u32 residual, u32 y, u32 plane,
                    SHARED_PTR struct shared *s)
{
    u32 x = THREAD;
    SHARED_PTR u16 *row = s->row[y % 2][plane];
    SHARED_PTR u16 *above = s->row[(y + 1) % 2][plane] + 1;
    u32 added = predictor == 2 || predictor == 3 ? running_sum(residual, s) : residual;

    if (x < p.width) {
        u16 sample = (u16)((from_above(predictor, above + x, above[0]) + added) & p.mask);
        row[1 + x] = sample;
        if (x == 0) {
            row[0] = sample;
        }
        if (x == p.width - 1) {
            row[p.width + 1] = sample;
        }
    }
    BARRIER();
}

/* Writes this thread's pixel of row `y`, all planes of it. */
DEVICE void store(struct patch p, bool green, u32 y, GLOBAL u8 *into,
                  SHARED_PTR const struct shared *s)
{
    u32 x = THREAD, first = s->row[y % 2][0][1 + x];

    if (x >= p.width) {
        return;
    }
    for (u32 plane = 0; plane < p.samples; plane++) {
        u32 sample = p.samples >= 3 && plane < 2 ? 1 - plane : plane;
        u32 value = s->row[y % 2][plane][1 + x];
        u32 at = x * p.samples + sample;
        if (green && (plane == 1 || plane == 2)) {
            value = (value + first) & p.mask;
        }
        if (p.bits == 16) {
            into[y * p.stride + 2 * at] = (u8)value;
            into[y * p.stride + 2 * at + 1] = (u8)(value >> 8);
        } else {
            into[y * p.stride + at] = (u8)value;
        }
    }
}
