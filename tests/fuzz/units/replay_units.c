/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_units.c on files compressed here, of a few units at most; see replaying.h. */
#include <stdlib.h>
#include <string.h>

#include "raw_units_write.h"
#include "replaying.h"

#define LENGTH_MAX ((uint64_t)300000)

/* Draws text of some letters, with a stretch that cannot be compressed. */
static uint8_t *draw(struct chance *chance, size_t bytes)
{
    const size_t noise = (size_t)chance_below(chance, bytes), letters = 1 + chance_below(chance, 9);
    uint8_t *text = malloc(bytes);

    for (size_t i = 0; i < bytes; i++) {
        const bool random = i > noise && i < noise + 9000;
        text[i] = (uint8_t)(random ? chance_bits(chance) : 'a' + chance_below(chance, letters));
    }
    return text;
}

static void make(uint64_t number, struct replay_input *input)
{
    struct chance chance = {.state = number};
    const size_t most = (size_t)chance_below(&chance, LENGTH_MAX);
    const size_t bytes = 1 + (number % 2 ? most : most % 500);
    uint8_t *text = draw(&chance, bytes);
    struct lod_raw_units units;
    struct lod_buf into = {0};

    if (lod_raw_units_begin(&units, bytes, &into) ||
        lod_raw_units_add(&units, (struct lod_span){.at = text, .bytes = bytes})) {
        abort();
    }
    const size_t room = sizeof(input->data) - 4;
    const size_t stored = into.bytes < room ? into.bytes : room;
    lod_put_le32(input->data, (uint32_t)bytes);
    memcpy(input->data + 4, into.data, stored);
    input->bytes = 4 + stored;
    lod_raw_units_finish(&units);
    lod_buf_finish(&into);
    free(text);
}

/* Changes are mostly in the length, the table of ends and the first frame's header. */
static void change(struct chance *chance, struct replay_input *input)
{
    for (uint64_t left = chance_below(chance, 4); left > 0 && input->bytes; left--) {
        const size_t most = chance_below(chance, 2) && input->bytes > 32 ? 32 : input->bytes;
        const size_t at = (size_t)chance_below(chance, most);
        if (chance_below(chance, 3)) {
            input->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
        } else {
            input->data[at] = (uint8_t)(input->data[at] + 1 - 2 * chance_below(chance, 2));
        }
        input->bytes -= chance_below(chance, 20) ? 0 : chance_below(chance, input->bytes);
    }
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 40, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
