/* SPDX-License-Identifier: Apache-2.0 */
/* See s3_keys.h. */
#include "keys/s3_keys.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "http/home.h"

#define LINES_MAX 65536u

/* Where each setting comes from. */
static const struct {
    const char *variables[3]; /* of the environment; the first that is set counts */
    const char *name;         /* in a profile */
    size_t at;                /* in struct lod_s3_keys */
    bool is_key;              /* not taken from the environment if a profile was named */
} settings[] = {
    {{"AWS_ACCESS_KEY_ID"}, "aws_access_key_id", offsetof(struct lod_s3_keys, id), true},
    {{"AWS_SECRET_ACCESS_KEY"},
     "aws_secret_access_key",
     offsetof(struct lod_s3_keys, secret),
     true},
    {{"AWS_SESSION_TOKEN"}, "aws_session_token", offsetof(struct lod_s3_keys, token), true},
    {{"AWS_REGION", "AWS_DEFAULT_REGION"}, "region", offsetof(struct lod_s3_keys, region), false},
    {{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"},
     "endpoint_url",
     offsetof(struct lod_s3_keys, endpoint),
     false},
    {{"AWS_CA_BUNDLE", "SSL_CERT_FILE"}, "ca_bundle", offsetof(struct lod_s3_keys, ca_file), false},
    {{NULL}, "credential_process", offsetof(struct lod_s3_keys, process), true},
    {{NULL}, "role_arn", offsetof(struct lod_s3_keys, role), true},
    {{NULL}, "source_profile", offsetof(struct lod_s3_keys, role), true},
    {{NULL}, "sso_session", offsetof(struct lod_s3_keys, role), true},
    {{NULL}, "sso_start_url", offsetof(struct lod_s3_keys, role), true},
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

struct reading {
    struct lod_s3_keys *keys;
    const char *profile;
    bool found;    /* the profile */
    bool has_keys; /* of an earlier source: no other key is mixed with them */
    struct lod_why *why;
};

static int refuse(const struct reading *reading, int error, const char *file, const char *sentence)
{
    return lod_refuse(reading->why, error, "%s: %s", file, sentence);
}

static char *value_of(struct lod_s3_keys *keys, size_t setting)
{
    return (char *)keys + settings[setting].at;
}

/* The first source of a setting is used. Returns false if it is too long. */
static bool set(struct lod_s3_keys *keys, size_t setting, const char *text)
{
    char *value = value_of(keys, setting);

    if (!value[0] && text) {
        return snprintf(value, LOD_S3_VALUE_MAX, "%s", text) < LOD_S3_VALUE_MAX;
    }
    return true;
}

static int take_environment(const struct reading *reading, bool keys_too)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        for (unsigned v = 0; v < 3 && settings[i].variables[v]; v++) {
            if ((keys_too || !settings[i].is_key) &&
                !set(reading->keys, i, getenv(settings[i].variables[v]))) {
                return refuse(reading, -EINVAL, settings[i].variables[v], "the value is too long");
            }
        }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------- files */

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r\n");
    for (size_t bytes = strlen(text); bytes && strchr(" \t\r\n", text[bytes - 1]);) {
        text[--bytes] = '\0';
    }
    return text;
}

/* "[NAME]", or in the config file "[profile NAME]". */
static bool is_profile(const struct reading *reading, char *line, const char *prefix)
{
    const size_t bytes = strlen(prefix);
    char *end = strchr(line, ']');

    if (!end) {
        return false;
    }
    *end = '\0';
    char *name = trimmed(line + 1);
    if (bytes && strncmp(name, prefix, bytes) == 0 && (name[bytes] == ' ' || name[bytes] == '\t')) {
        name = trimmed(name + bytes);
    } else if (bytes && strcmp(name, "default") != 0) {
        return false;
    }
    return strcmp(name, reading->profile) == 0;
}

/* Takes a line "NAME = VALUE". An indented line is skipped: it belongs to the setting above it, and
 * lodfs uses no setting of several lines. */
static int take_line(const struct reading *reading, const char *file, char *line)
{
    char *value = strchr(line, '=');

    if (!value) {
        return refuse(reading, -EINVAL, file, "a line has no '='");
    }
    *value++ = '\0';
    const char *name = trimmed(line);
    for (size_t i = 0; i < SETTINGS; i++) {
        const bool closed = settings[i].is_key && reading->has_keys;
        if (!closed && strcmp(name, settings[i].name) == 0 &&
            !set(reading->keys, i, trimmed(value))) {
            return refuse(reading, -EINVAL, file, "a value is too long");
        }
    }
    return 0;
}

static int take_lines(struct reading *reading, const char *file, FILE *in, const char *prefix)
{
    char *line = NULL;
    size_t room = 0;
    bool ours = false;
    int error = 0;

    for (unsigned n = 0; !error && n < LINES_MAX && getline(&line, &room, in) >= 0; n++) {
        const bool indented = line[0] == ' ' || line[0] == '\t';
        char *text = trimmed(line);
        if (!*text || strchr("#;", *text) || indented) {
            continue;
        }
        if (*text == '[') {
            ours = is_profile(reading, text, prefix);
            reading->found = reading->found || ours;
        } else if (ours) {
            error = take_line(reading, file, text);
        }
    }
    if (line) {
        explicit_bzero(line, room);
    }
    free(line);
    return error;
}

static int open_file(const struct reading *reading, const char *file, FILE **ret_in)
{
    struct stat st;
    FILE *in = fopen(file, "re");
    int error = in ? 0 : -errno;

    if (in && (fstat(fileno(in), &st) || !S_ISREG(st.st_mode))) {
        error = -EINVAL;
    }
    if (error) {
        if (in) {
            fclose(in);
        }
        return error == -ENOENT   ? error
               : error == -EINVAL ? refuse(reading, error, file, "not a file")
                                  : refuse(reading, error, file, strerror(-error));
    }
    *ret_in = in;
    return 0;
}

/* Reads the profiles of a file. A missing file counts as a file without profiles. */
static int take_file(struct reading *reading, const char *variable, const char *below,
                     const char *prefix)
{
    const char *given = getenv(variable);
    char *file = given ? strdup(given) : lod_home_path(below);
    FILE *in = NULL;

    if (!file) {
        return given ? refuse(reading, -ENOMEM, below, "out of memory") : 0;
    }
    int error = open_file(reading, file, &in);
    if (!error) {
        error = take_lines(reading, file, in, prefix);
        fclose(in);
    }
    free(file);
    reading->has_keys = reading->keys->id[0] || reading->keys->process[0];
    return error == -ENOENT ? 0 : error;
}

int lod_s3_keys_read(const char *profile, struct lod_s3_keys *ret_keys, struct lod_why *why)
{
    const char *named = profile ? profile : getenv("AWS_PROFILE");
    struct reading reading = {.keys = ret_keys, .profile = named ? named : "default", .why = why};

    memset(ret_keys, 0, sizeof(*ret_keys));
    int error = take_environment(&reading, !profile);
    const bool in_environment = reading.has_keys = ret_keys->id[0];
    error =
        error ? error : take_file(&reading, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", "");
    error = error ? error : take_file(&reading, "AWS_CONFIG_FILE", ".aws/config", "profile");
    if (!error && named && !reading.found && !in_environment) {
        error = lod_refuse(
            why, -ENOENT, "there is no profile '%s' in ~/.aws/credentials or ~/.aws/config", named);
    }
    if (!error && !ret_keys->id[0] != !ret_keys->secret[0]) {
        error = lod_refuse(why, -EINVAL,
                           "the keys are incomplete: their ID or their secret is missing");
    }
    if (error) {
        explicit_bzero(ret_keys, sizeof(*ret_keys));
    }
    return error;
}
