/* SPDX-License-Identifier: Apache-2.0 */
/* Prints `lodfs help NAME` from the command's table; see arguments.h. */
#include <stdio.h>
#include <string.h>

#include "terminal/arguments.h"

#define COLUMNS    79
#define LEFT_MAX   26 /* columns of the names of options; their meanings follow */
#define LEFT_BYTES 128
#define LISTED_MAX 4 /* with more options the usage line says [OPTIONS] */

/* Prints `text`, wrapped, and a newline. Lines begin at column `indent`, and those of the text with
 * the blanks that they have; `column` columns of the first line are already printed. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
    bool first = true; /* word of its line */

    while (*text) {
        const size_t lead = strspn(text, " "), bytes = strcspn(text + lead, " \n");
        if (!first && column + 1 + bytes > COLUMNS) {
            putchar('\n');
            column = 0;
            first = true;
        }
        const size_t blanks = lead + (!first ? 1 : column < indent ? indent - column : 0);
        text += lead;
        printf("%*s%.*s", (int)blanks, "", (int)bytes, text);
        column += blanks + bytes;
        first = false;
        text += bytes;
        text += strspn(text, " ");
        for (; *text == '\n'; text++) {
            putchar('\n');
            column = 0;
            first = true;
        }
    }
    putchar('\n');
}

/* Adds the value as "=N" or "=shuffle|path", or as " N" for an option that is only a letter. */
static void add_value(struct lod_out *out, const struct lod_option *row)
{
    const char *word;

    if (!lod_option_is_valued(row)) {
        return;
    }
    lod_out_print(out, "%s%s", row->name ? "=" : " ", row->value ? row->value : "");
    for (unsigned i = 0; !row->value && (word = lod_option_word(row, i)); i++) {
        lod_out_print(out, "%s%s", i ? "|" : "", word);
    }
}

/* Adds the names as "-j, --jobs=N"; with `words`, for options of -o, without dashes. */
static void add_names(struct lod_out *out, const struct lod_option *row, bool words)
{
    char letter[8] = "    ";

    if (row->letter) {
        snprintf(letter, sizeof(letter), "-%c%s", row->letter, row->name ? ", " : "");
    }
    lod_out_print(out, "%s%s%s", words ? "" : letter, words || !row->name ? "" : "--",
                  row->name ? row->name : "");
    add_value(out, row);
}

static void print_rows(const struct lod_option *rows, bool words)
{
    char text[LEFT_BYTES];
    size_t indent = 0;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (const struct lod_option *row = rows; row->kind != LOD_OPTION_END; row++) {
            struct lod_out out = {.text = text, .room = sizeof(text)};
            if (!row->help || row->kind >= LOD_OPTION_OPERAND) {
                continue;
            }
            lod_out_print(&out, "  ");
            add_names(&out, row, words);
            if (pass == 0) {
                indent = out.used > indent && out.used <= LEFT_MAX ? out.used : indent;
                continue;
            }
            printf("%s%s", text, out.used > indent ? "\n" : "");
            print_wrapped(row->help, out.used > indent ? 0 : out.used, indent + 2);
        }
    }
}

/* Prints "[-l] [--json] STORE [PATH]" or "[OPTIONS] SOURCE STORE". */
static void print_usage(const struct lod_cmd *cmd)
{
    char text[LEFT_BYTES];
    unsigned options = 0;

    for (const struct lod_option *row = cmd->options; row->kind != LOD_OPTION_END; row++) {
        options += row->kind != LOD_OPTION_OPERAND;
    }
    printf("Usage: lodfs %s%s", cmd->name, options > LISTED_MAX ? " [OPTIONS]" : "");
    for (const struct lod_option *row = cmd->options; row->kind != LOD_OPTION_END; row++) {
        struct lod_out out = {.text = text, .room = sizeof(text)};
        const struct lod_option shown = {.kind = row->kind,
                                         .letter = row->letter,
                                         .name = row->letter ? NULL : row->name,
                                         .value = row->value,
                                         .words = row->words};
        if (row->kind == LOD_OPTION_OPERAND) {
            printf(row->min ? " %s" : " [%s]", row->name);
        } else if (options <= LISTED_MAX) {
            add_names(&out, &shown, false);
            printf(" [%s]", text + strspn(text, " "));
        }
    }
    printf("\n");
}

void lod_arguments_help(const struct lod_cmd *cmd)
{
    printf("lodfs %s - %s\n\n", cmd->name, cmd->summary);
    print_usage(cmd);
    if (cmd->about) {
        putchar('\n');
        print_wrapped(cmd->about, 0, 0);
    }
    if (cmd->options->kind < LOD_OPTION_OPERAND && cmd->options->kind != LOD_OPTION_END) {
        putchar('\n');
        print_rows(cmd->options, false);
    }
    for (const struct lod_option *row = cmd->options; row->kind != LOD_OPTION_END; row++) {
        if (row->kind == LOD_OPTION_LIST && row->settings) {
            printf("\n%s, separated by commas:\n", row->value);
            print_rows(row->settings, true);
        }
    }
    if (cmd->after) {
        putchar('\n');
        print_wrapped(cmd->after, 0, 0);
    }
}
