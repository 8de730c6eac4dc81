/* SPDX-License-Identifier: Apache-2.0 */
/* See complete.h. */
#include "terminal/complete.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/mount_table.h"

#define WORD_BYTES 4096

/* The answer to one request for completion. */
struct answer {
    const char *typed;
    const char *kind;
    struct lod_out lines;
    char text[1 << 16];
};

#define HELP_SHOWN 60 /* bytes of help in an answer, cut at the end of a word */

static int help_bytes(const char *help)
{
    size_t bytes = strlen(help);

    for (bytes = bytes < HELP_SHOWN ? bytes : HELP_SHOWN;
         bytes && help[bytes] && help[bytes] != ' ';) {
        bytes--;
    }
    return (int)bytes;
}

/* Prints HEAD + WORD + TAIL if it begins with the typed text. */
static void offer(struct answer *answer, const char *head, const char *word, const char *tail,
                  const char *help)
{
    char whole[WORD_BYTES];

    lod_format(whole, sizeof(whole), "%s%s%s", head, word, tail);
    if (strncmp(whole, answer->typed, strlen(answer->typed)) == 0) {
        lod_out_print(&answer->lines, "%s\t%.*s\n", whole, help ? help_bytes(help) : 0,
                      help ? help : "");
    }
}

static const char *equals(const struct lod_option *row)
{
    return lod_option_is_valued(row) ? "=" : "";
}

static int offer_mount(void *ctx, const struct lod_mount_row *row)
{
    if (row->ours) {
        offer(ctx, "", row->point, "", row->source);
    }
    return 0;
}

static void offer_names(struct answer *answer, enum lod_option_names names)
{
    static const char *const kinds[] = {[LOD_NAMES_NONE] = "words",
                                        [LOD_NAMES_FILES] = "files",
                                        [LOD_NAMES_FOLDERS] = "folders",
                                        [LOD_NAMES_MOUNTS] = "names"};

    answer->kind = kinds[names];
    if (names == LOD_NAMES_MOUNTS && lod_mount_table_each(offer_mount, answer)) {
        answer->kind = "words"; /* without a table there are no words to offer */
    }
}

/* Offers the possible values of an option; `head` is the typed text before the value. */
static void offer_words(struct answer *answer, const struct lod_option *row, const char *head)
{
    const char *word;

    for (unsigned i = 0; (word = lod_option_word(row, i)); i++) {
        offer(answer, head, word, "", NULL);
    }
}

/* Offers WORD or WORD=VALUE after the last comma. */
static void offer_settings(struct answer *answer, const struct lod_option *settings,
                           const char *head, const char *value)
{
    char before[WORD_BYTES];
    const char *comma = strrchr(value, ','), *word = comma ? comma + 1 : value;
    const struct lod_option *row = strchr(word, '=') ? lod_option_find(settings, word) : NULL;

    if (row) {
        lod_format(before, sizeof(before), "%s%.*s", head, (int)(strchr(word, '=') + 1 - value),
                   value);
        offer_words(answer, row, before);
        return;
    }
    lod_format(before, sizeof(before), "%s%.*s", head, (int)(word - value), value);
    for (row = settings; row->kind != LOD_OPTION_END; row++) {
        if (row->name && row->kind < LOD_OPTION_OPERAND) {
            offer(answer, before, row->name, equals(row), row->help);
        }
    }
}

static void offer_value(struct answer *answer, const struct lod_option *row, const char *head,
                        const char *value)
{
    if (row->settings) {
        offer_settings(answer, row->settings, head, value);
        return;
    }
    offer_words(answer, row, head);
    offer_names(answer, row->offers);
}

static void offer_options(struct answer *answer, const struct lod_cmd *cmd)
{
    char letter[2] = "";

    for (const struct lod_option *row = cmd->options; row->kind != LOD_OPTION_END; row++) {
        letter[0] = row->letter;
        if (row->kind != LOD_OPTION_OPERAND && row->help) {
            offer(answer, row->name ? "--" : "-", row->name ? row->name : letter,
                  row->name ? equals(row) : "", row->help);
        }
    }
    offer(answer, "--help", "", "", "explain the command");
}

/* The state after the complete words: it decides what the typed word can be. */
struct state {
    const struct lod_option *pending; /* an option whose value comes next, or NULL */
    unsigned operands;
    bool operands_only; /* after "--" */
};

/* Returns the option in a cluster of letters whose value comes next, or NULL. */
static const struct lod_option *pending_letter(const struct lod_cmd *cmd, const char *letters)
{
    const struct lod_option *row = cmd->options;

    for (; *letters; letters++) {
        for (row = cmd->options; row->kind != LOD_OPTION_END && row->letter != *letters; row++) {
        }
        if (lod_option_is_valued(row)) {
            return letters[1] ? NULL : row;
        }
    }
    return NULL;
}

static void pass(struct state *state, const struct lod_cmd *cmd, const char *word)
{
    const bool option = !state->operands_only && word[0] == '-' && word[1];
    const struct lod_option *row = NULL;

    if (state->pending) {
        state->pending = NULL;
    } else if (option && strcmp(word, "--") == 0) {
        state->operands_only = true;
    } else if (option && word[1] == '-') {
        row = strchr(word, '=') ? NULL : lod_option_find(cmd->options, word + 2);
        state->pending = row && lod_option_is_valued(row) ? row : NULL;
    } else if (option) {
        state->pending = pending_letter(cmd, word + 1);
    } else {
        state->operands++;
    }
}

static const struct lod_option *operand(const struct lod_cmd *cmd, unsigned number)
{
    const struct lod_option *row = cmd->options;

    for (; row->kind != LOD_OPTION_END; row++) {
        if (row->kind == LOD_OPTION_OPERAND && number-- == 0) {
            return row;
        }
    }
    return NULL;
}

static void complete(struct answer *answer, const struct lod_cmd *cmd, const char *const *words,
                     int count)
{
    struct state state = {.pending = NULL};
    const char *typed = answer->typed, *value = strchr(typed, '=');
    char head[WORD_BYTES];

    for (int i = 0; i + 1 < count; i++) {
        pass(&state, cmd, words[i]);
    }
    if (state.pending) {
        offer_value(answer, state.pending, "", typed);
    } else if (!state.operands_only && strncmp(typed, "--", 2) == 0 && value) {
        const struct lod_option *row = lod_option_find(cmd->options, typed + 2);
        lod_format(head, sizeof(head), "%.*s", (int)(value + 1 - typed), typed);
        if (row) {
            offer_value(answer, row, head, value + 1);
        }
    } else if (!state.operands_only && typed[0] == '-') {
        offer_options(answer, cmd);
    } else {
        const struct lod_option *row = operand(cmd, state.operands);
        if (row) {
            offer_value(answer, row, "", typed);
        }
    }
}

/* Completes the words behind `lodfs`, or behind a command that has verbs. */
static void complete_words(struct answer *answer, const struct lod_cmd *const *commands,
                           size_t commands_count, const char *const *words, int words_count)
{
    const bool first = words_count < 2 || (words_count == 2 && strcmp(words[0], "help") == 0);

    for (size_t i = 0; i < commands_count; i++) {
        const struct lod_cmd *cmd = commands[i];
        if (first) {
            offer(answer, "", lod_cmd_word(cmd), "", cmd->summary);
        } else if (strcmp(words[0], lod_cmd_word(cmd)) == 0 && cmd->verbs) {
            size_t count = 0;
            while (cmd->verbs[count]) {
                count++;
            }
            complete_words(answer, cmd->verbs, count, words + 1, words_count - 1);
        } else if (strcmp(words[0], lod_cmd_word(cmd)) == 0) {
            complete(answer, cmd, words + 1, words_count - 1);
        }
    }
}

void lod_complete(const struct lod_cmd *const *commands, size_t commands_count,
                  const char *const *words, int words_count)
{
    struct answer *answer = malloc(sizeof(*answer)); /* too large for a small stack */

    if (!answer) {
        return;
    }
    answer->typed = words_count ? words[words_count - 1] : "";
    answer->kind = "words";
    answer->text[0] = '\0';
    answer->lines = (struct lod_out){.text = answer->text, .room = sizeof(answer->text)};
    complete_words(answer, commands, commands_count, words, words_count);
    printf("%s\n%s", answer->kind, answer->text);
    free(answer);
}
