/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "toc/source/csv_read.h"
#include "toc/source/libsvm_read.h"

static struct lod_libsvm_row row;

static void end(void)
{
    lod_libsvm_row_finish(&row);
}

TestSuite(libsvm_read, .fini = end);

static int take(const char *text, bool last, size_t *ret_taken)
{
    const char *why = NULL;
    struct lod_span span = {(const uint8_t *)text, strlen(text)};
    int error = lod_libsvm_take(&row, span, last, ret_taken, &why);

    cr_assert(error == 0 || error == -EAGAIN || why);
    return error;
}

Test(libsvm_read, lines)
{
    size_t taken = 0;

    cr_assert_eq(take("-1 3:0.5 7:-2e-3 # qid:1 \x01\nrest", true, &taken), 0);
    cr_assert(!row.blank && row.label == -1 && row.count == 2 && taken == 27);
    cr_assert(row.index[0] == 3 && row.value[0] == .5);
    cr_assert(row.index[1] == 7 && row.value[1] == -2e-3);
    cr_assert_eq(take("+1\r\n", true, &taken), 0);
    cr_assert(!row.blank && row.label == 1 && row.count == 0 && taken == 4);
    cr_assert_eq(take("  \t# only this\n", true, &taken), 0);
    cr_assert(row.blank);
    cr_assert_eq(take("2 0:inf 268435456:nan", true, &taken), 0);
    cr_assert(row.count == 2 && isinf(row.value[0]) && isnan(row.value[1]));
}

Test(libsvm_read, what_is_no_line)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {{"a 1:2\n", -EILSEQ},        {"1 2\n", -EILSEQ},
                 {"1 2:\n", -EILSEQ},         {"1 :2\n", -EILSEQ},
                 {"1 2:x\n", -EILSEQ},        {"1 2:1 2:1\n", -EILSEQ},
                 {"1 3:1 2:1\n", -EILSEQ},    {"1 -1:1\n", -EILSEQ},
                 {"1 qid:3 1:1\n", -EILSEQ},  {"1,2 1:1\n", -EILSEQ},
                 {"1 268435457:1\n", -E2BIG}, {"1 99999999999999999999:1\n", -E2BIG}};
    size_t taken;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(take(cases[i].text, true, &taken), cases[i].error, "%s", cases[i].text);
    }
    const char *why;
    cr_assert_eq(lod_libsvm_take(&row, (struct lod_span){(const uint8_t *)"1 1:1\0\n", 7}, true,
                                 &taken, &why),
                 -EILSEQ);
}

Test(libsvm_read, every_cut_goes_on)
{
    static const char text[] = "1 2:3 4:5\n";
    char cut[sizeof(text)];
    size_t taken;

    for (size_t bytes = 0; bytes + 1 < sizeof(text); bytes++) {
        memcpy(cut, text, bytes);
        cut[bytes] = '\0';
        cr_assert_eq(bytes == sizeof(text) - 1 ? 0 : take(cut, false, &taken), -EAGAIN);
    }
    cr_assert_eq(take(text, false, &taken), 0);
}
