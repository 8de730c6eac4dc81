/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as rows of a table, for commands and for -o. Parsing, ranges, messages, help and
 * completion follow from the rows. The callers split command lines and the text of -o.
 */
#ifndef LOD_OPTION_H
#define LOD_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "json.h"

enum lod_option_kind {
    LOD_OPTION_END,      /* ends a table */
    LOD_OPTION_FLAG,     /* takes no value: the field becomes `max` */
    LOD_OPTION_TEXT,     /* any text, borrowed: the field is a const char * */
    LOD_OPTION_LIST,     /* the same, appended: the field is a struct lod_option_list */
    LOD_OPTION_CHOICE,   /* one of `words`: the field becomes its index */
    LOD_OPTION_FIDELITY, /* q1 .. `max`: an enum lod_fidelity */
    LOD_OPTION_NUMBER,   /* min .. max, in digits */
    LOD_OPTION_SIZE,     /* bytes: digits, then nothing or K, M, G or T with iB or B */
    LOD_OPTION_FRACTION, /* min .. max in millionths, written as a decimal: .95 */
    LOD_OPTION_OCTAL,    /* 0 .. max, permissions in octal */
    LOD_OPTION_OPERAND,  /* not an option but an operand of a command, a text; min 1: required */
    LOD_OPTION_IGNORED,  /* of -o: takes no value, and changes nothing */
    LOD_OPTION_NEEDLESS, /* of -o: the same, after a warning; a value is accepted */
    LOD_OPTION_MOUNT8,   /* of -o: concerns only mount(8) */
    LOD_OPTION_REFUSED,  /* of -o: it is refused, and `help` is the reason */
};

/* The names that a shell completes for a value or operand without `words`. */
enum lod_option_names { LOD_NAMES_NONE, LOD_NAMES_FILES, LOD_NAMES_FOLDERS, LOD_NAMES_MOUNTS };

#define LOD_OPTION_LIST_MAX 64
#define LOD_OPTION_AUTO     UINT64_MAX

struct lod_option_list {
    const char *at[LOD_OPTION_LIST_MAX];
    unsigned count;
    bool preset; /* set by a variable, whose values the first value of the command line replaces */
};

struct lod_option {
    uint8_t kind;   /* enum lod_option_kind */
    char letter;    /* such as 'j' for -j; 0: none */
    uint8_t offers; /* enum lod_option_names */
    uint32_t field; /* LOD_FIELD */
    uint64_t min, max;
    const char
        *name; /* without dashes; NULL: only the letter; for an operand its name in messages */
    const char *value; /* its name in help, such as "N"; NULL: the words, or no value */
    /* For a choice: its values. For a size: the word that means LOD_OPTION_AUTO. If `name` is NULL:
     * the option's names; "x_*" stands for all names that begin with "x_". */
    const char *const *words;
    const char *help; /* NULL: not in help */
    /* The value is a list of these, WORD or WORD=VALUE, with commas. */
    const struct lod_option *settings;
};

/*
 * The place and size of a row's field, in one number. A flag, number or choice may be an integer of
 * 1, 4 or 8 bytes.
 */
#define LOD_FIELD(type, member)                                                                    \
    (uint32_t)(offsetof(type, member) << 8 | (sizeof(((type *)0)->member) & 0xff))

/* Short forms of rows. `letter` is 0 and `name` NULL if there is none. */
#define LOD_ROW_FLAG(field_, letter_, name_, help_)                                                \
    {                                                                                              \
        .kind = LOD_OPTION_FLAG, .letter = letter_, .field = field_, .max = 1, .name = name_,      \
        .help = help_                                                                              \
    }
#define LOD_ROW_TEXT(kind_, field_, letter_, name_, value_, max_, help_)                           \
    {                                                                                              \
        .kind = kind_, .letter = letter_, .field = field_, .max = max_, .name = name_,             \
        .value = value_, .help = help_                                                             \
    }
#define LOD_ROW_CHOICE(field_, name_, words_, help_)                                               \
    {                                                                                              \
        .kind = LOD_OPTION_CHOICE, .field = field_, .name = name_, .words = words_, .help = help_  \
    }
#define LOD_ROW_FIDELITY(field_, name_, max_, help_)                                               \
    {                                                                                              \
        .kind = LOD_OPTION_FIDELITY, .field = field_, .max = max_, .name = name_, .value = "F",    \
        .help = help_                                                                              \
    }
#define LOD_ROW_NUMBER(kind_, field_, letter_, name_, value_, min_, max_, help_)                   \
    {                                                                                              \
        .kind = kind_, .letter = letter_, .field = field_, .min = min_, .max = max_,               \
        .name = name_, .value = value_, .help = help_                                              \
    }
#define LOD_ROW_OPERAND(field_, name_, needed, offers_)                                            \
    {                                                                                              \
        .kind = LOD_OPTION_OPERAND, .offers = offers_, .field = field_, .min = needed,             \
        .name = name_                                                                              \
    }
#define LOD_ROW_END                                                                                \
    {                                                                                              \
        .kind = LOD_OPTION_END                                                                     \
    }

/* Returns the row of a word, which may continue with '='; '-' and '_' are equal. NULL if there is
 * none. */
const struct lod_option *lod_option_find(const struct lod_option *table, const char *word);

bool lod_option_is_valued(const struct lod_option *option);

/* Returns the index-th value of a choice or fidelity; NULL after the last one. */
const char *lod_option_word(const struct lod_option *option, unsigned index);

/* Sets the field in `into`. Returns -EINVAL for an invalid value, -E2BIG if a list is full. */
LOD_MUST_CHECK int lod_option_set(const struct lod_option *option, const char *value, void *into);

/*
 * Marks the values of a list as defaults, which the first value of the command line replaces. Does
 * nothing for other kinds of rows.
 */
void lod_option_preset(const struct lod_option *option, void *into);

/* Writes the message after -EINVAL, such as "takes q1 .. q10 or full" or "takes 64K to 512M".
 * Returns `text`. */
#define LOD_OPTION_TEXT_BYTES 128
const char *lod_option_takes(const struct lod_option *option, char text[LOD_OPTION_TEXT_BYTES]);

/*
 * Sets the fields of all rows that have a name and a variable: LODFS_COMMAND_NAME, in capitals and
 * with '_' for '-' and blanks. An empty variable is as none; a flag takes 0 or 1, a list one value.
 * Values are borrowed from the environment. Returns -EINVAL, or -E2BIG of a list, with a sentence.
 */
#define LOD_OPTION_MESSAGE_BYTES 4608
LOD_MUST_CHECK int lod_option_environment(const char *command, const struct lod_option *table,
                                          void *into, char ret_message[LOD_OPTION_MESSAGE_BYTES]);

/* Returns all texts of a list as one, with commas between them, for free(). NULL: no memory. */
char *lod_option_join(const struct lod_option_list *list);
/* Ends the word at `at` at its comma. A backslash, or \ooo, makes any byte part of a word. Returns
 * the start of the next word; NULL after the last. */
char *lod_option_cut(char *at);

/* Writes the member `name` with the value of the field. */
void lod_option_json(const struct lod_option *option, const void *from, struct lod_json *json);

#endif
