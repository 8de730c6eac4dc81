/* SPDX-License-Identifier: Apache-2.0 */
/* Options from environment variables; see option.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

/* Writes LODFS_COMMAND_NAME in capitals. Every other character becomes '_'. */
static void name_variable(const char *command, const char *name,
                          char ret_variable[LOD_OPTION_TEXT_BYTES])
{
    struct lod_out out = {.text = ret_variable, .room = LOD_OPTION_TEXT_BYTES};

    lod_out_print(&out, "LODFS_%s_%s", command, name);
    for (char *at = ret_variable; *at; at++) {
        *at = (char)(*at >= 'a' && *at <= 'z'   ? *at - 'a' + 'A'
                     : *at == '-' || *at == ' ' ? '_'
                                                : *at);
    }
}

static int set(const struct lod_option *row, const char *value, void *into)
{
    if (row->kind != LOD_OPTION_FLAG) {
        const int error = lod_option_set(row, value, into);
        lod_option_preset(row, into);
        return error;
    }
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) {
        return -EINVAL;
    }
    return *value == '1' ? lod_option_set(row, "", into) : 0;
}

int lod_option_environment(const char *command, const struct lod_option *table, void *into,
                           char ret_message[LOD_OPTION_MESSAGE_BYTES])
{
    char variable[LOD_OPTION_TEXT_BYTES], takes[LOD_OPTION_TEXT_BYTES];

    for (const struct lod_option *row = table; row->kind != LOD_OPTION_END; row++) {
        if (!row->name || !row->help || row->kind >= LOD_OPTION_OPERAND) {
            continue;
        }
        name_variable(command, row->name, variable);
        const char *value = getenv(variable);
        int error = value && *value ? set(row, value, into) : 0;
        if (error) {
            lod_format(ret_message, LOD_OPTION_MESSAGE_BYTES, "the variable %s %s, not '%pE'",
                       variable,
                       row->kind == LOD_OPTION_FLAG ? "takes 0 or 1" : lod_option_takes(row, takes),
                       value);
            return error;
        }
    }
    return 0;
}
