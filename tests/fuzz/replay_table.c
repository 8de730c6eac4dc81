/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_table.c on headers and tables made here; see replaying.h. */
#include <stdbool.h>
#include <string.h>

#include "replaying.h"

static const char *const npy[] = {
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }      \n",
    "{'shape': (9223372036854775807L, 2), 'descr': \"|u1\", 'fortran_order': True}",
    "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }",
};
static const char *const csv[] = {
    "\001a,b,\"c \"\"d\"\r\n1,2.5,red\r\n,-0.0,\"blue\n\"\r\n-1e300,NA,red",
    "\0021;2;3\n4;5;6\n7;8;9\n10;11;12\n",
    "\011\xef\xbb\xbfx\n\n\xff\n?\n",
    ("\004"
     "1,2\n3,4\n5,6\n7,8\n9,10\n"),
};
static const char *const libsvm[] = {
    "\001+1 1:2 3:0.5 # c\r\n-1 2:1e-5 9:inf\n0\n",
    ("\002"
     "0 0:1\n# none\n1 4:1 5:nan 268435455:2\n2 1:0\n"),
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Copies a text into `input`, for npy after the head of a .npy file. */
static void make(uint64_t number, struct replay_input *input)
{
    const char *what = TEXT_OF(FUZZ_WHAT);
    const bool header = strcmp(what, "npy") == 0;
    const char *text = header                     ? npy[number % COUNT(npy)]
                       : strcmp(what, "csv") == 0 ? csv[number % COUNT(csv)]
                                                  : libsvm[number % COUNT(libsvm)];
    const size_t bytes = strlen(text), before = header ? 10 : 0;

    input->bytes = before + bytes;
    memcpy(input->data, "\x93NUMPY\x01\0\0\0", before);
    memcpy(input->data + before, text, bytes);
    if (header) {
        input->data[8] = (uint8_t)bytes;
    }
}

static void change(struct chance *chance, struct replay_input *input)
{
    static const char bytes[] = "0189,;\t\n\r\"\\#:.+-eE '()[]{}\xff\x80naif?L";
    static const struct replay_change how = {bytes, sizeof(bytes), 1, 40};

    replay_change(&how, chance, input);
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 4, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
