/* SPDX-License-Identifier: Apache-2.0 */
/* Parses options by getopt_long, with arrays made from a command's table; see arguments.h. */
#include "terminal/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX       48    /* of a command */
#define SENTENCE_BYTES 16384 /* two escaped paths */
#define LONG           256   /* getopt_long returns LONG + row for an option given by its name */

static bool fail_as_json; /* only the main thread reports failures */

void lod_fail_as_json(bool as_json)
{
    fail_as_json = as_json;
}

static void print_failure(int code, const char *sentence)
{
    struct lod_json json = {.out = {.file = stdout}};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "error", sentence);
    lod_json_number(&json, "exit", code < 0 ? LOD_EXIT_FAILED : code);
    lod_json_end(&json);
    fail_as_json = false;
}

int lod_fail(int code, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list args;

    va_start(args, format);
    lod_vformat(sentence, sizeof(sentence), format, args);
    va_end(args);
    fprintf(stderr, "lodfs: %s: %s\n", code ? "error" : "warning", sentence);
    if (code && fail_as_json) {
        print_failure(code, sentence);
    }
    return code;
}

const char *lod_cmd_word(const struct lod_cmd *cmd)
{
    const char *blank = strrchr(cmd->name, ' ');

    return blank ? blank + 1 : cmd->name;
}

int lod_arguments_refuse(const struct lod_cmd *cmd, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list args;

    va_start(args, format);
    lod_vformat(sentence, sizeof(sentence), format, args);
    va_end(args);
    return lod_fail(LOD_EXIT_USAGE, "%s; see lodfs %s --help", sentence, cmd->name);
}

struct getopt_rows {
    struct option names[ROWS_MAX + 1];
    char letters[2 * ROWS_MAX + 2];
};

static void make_rows(const struct lod_cmd *cmd, struct getopt_rows *rows)
{
    struct option *name = rows->names;
    char *letter = rows->letters;

    memset(rows, 0, sizeof(*rows));
    *letter++ = ':';
    for (int i = 0; i < ROWS_MAX && cmd->options[i].kind != LOD_OPTION_END; i++) {
        const struct lod_option *row = &cmd->options[i];
        if (row->kind == LOD_OPTION_OPERAND) {
            continue;
        }
        if (row->letter) {
            *letter++ = row->letter;
            *letter++ = lod_option_is_valued(row) ? ':' : ' ';
            letter -= letter[-1] == ' ';
        }
        if (row->name) {
            *name++ = (struct option){row->name,
                                      lod_option_is_valued(row) ? required_argument : no_argument,
                                      NULL, LONG + i};
        }
    }
    *letter = '\0';
}

static const struct lod_option *row_of(const struct lod_cmd *cmd, int option)
{
    const struct lod_option *row = cmd->options;

    if (option >= LONG) {
        return &cmd->options[option - LONG];
    }
    while (row->letter != option || row->kind == LOD_OPTION_OPERAND) {
        row++;
    }
    return row;
}

/* Prints the message for '?' or ':' of getopt_long.
 * A letter may be inside a cluster such as -lR. */
static int refuse_option(const struct lod_cmd *cmd, int option, char **argv)
{
    const char letter[3] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < 0x7f && strncmp(argv[optind - 1], "--", 2) != 0;

    return lod_arguments_refuse(cmd, "%s '%pE'",
                                option == ':' ? "a value is missing after" : "unknown option",
                                is_letter ? letter : argv[optind - 1]);
}

/* Notes --json as soon as it is read, so that later failures are documents. */
static void see_json(const struct lod_cmd *cmd, const void *from)
{
    for (const struct lod_option *row = cmd->options; row->kind != LOD_OPTION_END; row++) {
        if (row->name && strcmp(row->name, "json") == 0) {
            lod_fail_as_json(*((const bool *)from + (row->field >> 8)));
        }
    }
}

static int take_option(const struct lod_cmd *cmd, int option, char **argv, void *into)
{
    char takes[LOD_OPTION_TEXT_BYTES], name[3] = {'-', (char)option, '\0'};

    if (option == '?' || option == ':') {
        return refuse_option(cmd, option, argv);
    }
    const struct lod_option *row = row_of(cmd, option);
    int error = lod_option_set(row, optarg, into);
    return error
               ? lod_arguments_refuse(cmd, "%s%s %s, not%s '%pE'", option < LONG ? name : "--",
                                      option < LONG ? "" : row->name, lod_option_takes(row, takes),
                                      error == -E2BIG ? " also" : "", optarg)
               : 0;
}

/* Prints "a SOURCE and a STORE", "a STORE and at most one PATH", "one MOUNT" or "no arguments". */
static void list_operands(const struct lod_cmd *cmd, struct lod_out *out)
{
    const struct lod_option *row = cmd->options;
    unsigned count = 0;

    lod_out_put(out, "", 0);
    for (; row->kind != LOD_OPTION_END; row++) {
        if (row->kind == LOD_OPTION_OPERAND) {
            const bool another = row[1].kind == LOD_OPTION_OPERAND;
            lod_out_print(out, "%s%s%s", count ? " and " : "",
                          !row->min                ? "at most one "
                          : strchr(row->name, '=') ? ""
                          : count || another       ? "a "
                                                   : "one ",
                          row->name);
            count++;
        }
    }
    lod_out_print(out, "%s", count ? "" : "no arguments");
}

/* Takes the `count` operands that getopt has left in argv. */
static int take_operands(const struct lod_cmd *cmd, char **operands, int count, void *into)
{
    const struct lod_option *row = cmd->options;
    char text[256];
    struct lod_out list = {.text = text, .room = sizeof(text)};
    int taken = 0;
    bool missing = false;

    for (; row->kind != LOD_OPTION_END; row++) {
        if (row->kind == LOD_OPTION_OPERAND && taken < count) {
            int error = lod_option_set(row, operands[taken++], into);
            (void)error; /* an operand may be any text */
        } else if (row->kind == LOD_OPTION_OPERAND) {
            missing = missing || row->min;
        }
    }
    list_operands(cmd, &list);
    if (taken < count) {
        return lod_arguments_refuse(cmd, "%s takes %s, and not also '%pE'", cmd->name, text,
                                    operands[taken]);
    }
    return missing ? lod_arguments_refuse(cmd, "%s takes %s", cmd->name, text) : 0;
}

int lod_arguments_parse(const struct lod_cmd *cmd, int argc, char **argv, void *into)
{
    struct getopt_rows rows;
    char message[LOD_OPTION_MESSAGE_BYTES];
    int option, code = 0;

    int error = lod_option_environment(cmd->name, cmd->options, into, message);
    see_json(cmd, into);
    if (error) {
        return lod_arguments_refuse(cmd, "%s", message);
    }
    make_rows(cmd, &rows);
    opterr = 0;
    optind = 0;
    while (!code && (option = getopt_long(argc, argv, rows.letters, rows.names, NULL)) != -1) {
        code = take_option(cmd, option, argv, into);
        see_json(cmd, into);
    }
    return code ? code : take_operands(cmd, argv + optind, argc - optind, into);
}

/* Takes K/N of digits, N of at most `most`; both may be 0. */
static bool take_share(const char *text, uint32_t most, uint32_t *ret_share, uint32_t *ret_count)
{
    char *end = NULL;

    errno = 0;
    unsigned long share = strtoul(text, &end, 10), count = 0;
    if (end != text && *end == '/' && isdigit((unsigned char)text[0]) &&
        isdigit((unsigned char)end[1])) {
        count = strtoul(end + 1, &end, 10);
    }
    *ret_share = (uint32_t)share;
    *ret_count = (uint32_t)count;
    return !errno && !*end && share <= count && count <= most;
}

int lod_arguments_rank(const struct lod_cmd *cmd, const char *text, uint32_t most,
                       uint32_t *ret_rank, uint32_t *ret_count)
{
    return take_share(text, most, ret_rank, ret_count) && *ret_rank < *ret_count
               ? 0
               : lod_arguments_refuse(cmd, "--rank=%pE: takes K/N, K from 0 to N - 1", text);
}

int lod_arguments_part(const struct lod_cmd *cmd, const char *text, uint32_t most,
                       uint32_t *ret_part, uint32_t *ret_count)
{
    return take_share(text, most, ret_part, ret_count) && *ret_part
               ? 0
               : lod_arguments_refuse(cmd, "--part=%pE: takes K/N, K from 1 to N, N of at most %u",
                                      text, most);
}
