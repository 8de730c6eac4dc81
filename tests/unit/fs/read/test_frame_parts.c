/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a plan into parts, over invented frames. */
#include "frames/frame_parts.h"

#include "reader_fixture.h"

static struct lod_frames *frames;
static struct lod_byte_limit limit = {.bytes_max = 64 << 20};

static struct lod_item item_of(uint32_t number)
{
    (void)number;
    return item;
}

static void begin(void)
{
    items_of = item_of;
    cr_assert_eq(lod_frames_create(
                     NULL,
                     &(struct lod_frames_options){
                         .limit = &limit, .budget_bytes = limit.bytes_max / 4 * 3, .threads = true},
                     &frames),
                 0);
}

static void end(void)
{
    lod_frames_destroy(frames);
}

TestSuite(frame_parts, .init = begin, .fini = end);

/* The plan has the end of one frame, a complete second frame, the beginning of a third, a text, and
 * two parts of one frame. */
static struct lod_plan sample(void)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_plan_add_stored(&plan, 1, FRAME_BYTES - 3, FRAME_BYTES + 10), 0);
    cr_assert_eq(lod_plan_add_text(&plan, "head", 4), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 8, 100), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 108, 7), 0);
    return plan;
}

Test(frame_parts, pieces_are_divided_at_frames)
{
    static const uint64_t bytes[] = {3, FRAME_BYTES, 7, 4, 100, 7};
    struct lod_plan plan = sample();
    struct lod_frame_parts parts;

    cr_assert_eq(lod_frame_parts_get(frames, &item, &plan, &parts), 0);
    cr_assert_eq(parts.count, 6);
    cr_assert_eq(parts.wanted_count, 4, "the last two lie in one frame");
    for (unsigned i = 0; i < parts.count; i++) {
        cr_assert_eq(parts.part[i].bytes, bytes[i]);
    }
    cr_assert_eq(memcmp(lod_frame_part_at(&plan, &parts, &parts.part[3]), "head", 4), 0);
    cr_assert_eq(*lod_frame_part_at(&plan, &parts, &parts.part[5]), byte_of(&item, 2, 108));
    lod_frame_parts_drop(&parts);
    cr_assert_eq(parts.count, 0);
}

Test(frame_parts, a_copy_is_the_file)
{
    struct lod_plan plan = sample();
    uint8_t *into = malloc(plan.bytes);
    uint64_t at = 0;

    cr_assert_eq(lod_frame_parts_copy(frames, &item, &plan, into), 0);
    for (uint64_t i = 0; i < FRAME_BYTES + 10; i++, at++) {
        cr_assert_eq(into[at], byte_of(&item, 1, FRAME_BYTES - 3 + i));
    }
    cr_assert_eq(memcmp(into + at, "head", 4), 0);
    cr_assert_eq(into[plan.bytes - 1], byte_of(&item, 2, 114));
    free(into);
}

Test(frame_parts, a_frame_shorter_than_its_plan_is_an_error_without_references)
{
    struct lod_plan plan = sample();
    struct lod_frame_parts parts;

    frame_short = 1;
    cr_assert_eq(lod_frame_parts_get(frames, &item, &plan, &parts), -EIO);
    cr_assert_eq(parts.count + parts.wanted_count, 0);
}
