/* SPDX-License-Identifier: Apache-2.0 */
/* See job_file.h. */
#include "met/job_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "json.h"
#include "json_whole.h"
#include "terminal/cmd.h"

#define FORMAT       "lodfs-mini-epochs"
#define DIGITS       20
#define LOCK_TRIES   100
#define NO_JOB       "'%pE': %s; `lodfs met begin` makes such a file"
#define CANNOT_WRITE "cannot write '%pE': %s"

/* -------------------------------------------------------------------------------- reading */

static bool take_text(const cJSON *json, const char *key, char into[PATH_MAX])
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

    if (!text || strlen(text) >= PATH_MAX) {
        return false;
    }
    strcpy(into, text);
    return true;
}

static bool take_number(const cJSON *json, uint64_t *ret_number)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "job"));

    if (!text || !*text || strlen(text) > DIGITS || text[strspn(text, "0123456789")]) {
        return false;
    }
    errno = 0;
    *ret_number = strtoull(text, NULL, 10);
    return errno == 0 && *ret_number;
}

static const char *take(const cJSON *json, struct lod_met_job *job)
{
    const char *format = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "format"));
    const cJSON *room = cJSON_GetObjectItemCaseSensitive(json, "room_max");
    const cJSON *begun = cJSON_GetObjectItemCaseSensitive(json, "begun");
    const cJSON *met = cJSON_GetObjectItemCaseSensitive(json, "met");
    const char *why = "it is damaged";

    if (!format || strcmp(format, FORMAT) != 0) {
        return "it is not a job of mini-epochs";
    }
    if (!take_text(json, "mount", job->mount) || job->mount[0] != '/' ||
        !take_text(json, "folder", job->folder) || strstr(job->folder, "..") ||
        !take_number(json, &job->number) || !lod_json_whole(room, LOD_WHOLE_MAX, &job->room_max) ||
        !cJSON_IsBool(begun) || !cJSON_IsObject(met)) {
        return why;
    }
    job->begun = cJSON_IsTrue(begun);
    char *state = cJSON_PrintUnformatted(met);
    int error = state ? lod_met_state_read(state, strlen(state), &job->state, &why) : -ENOMEM;
    cJSON_free(state);
    return error ? why : NULL;
}

static const char *read_job(int fd, struct lod_met_job *job)
{
    char text[LOD_JOB_FILE_BYTES + 1];
    size_t used = 0;
    int error = lod_file_read_all(fd, text, sizeof(text), &used);

    if (error) {
        return error == -E2BIG ? "it is too long for a job of mini-epochs"
                               : strerrordesc_np(-error);
    }
    cJSON *json = cJSON_ParseWithLength(text, used);
    const char *why = json ? take(json, job) : "it is empty, truncated or not JSON";
    cJSON_Delete(json);
    return why;
}

/* Locks the file. If another command replaced the file meanwhile, `fd` is the old file, which has
 * no name any more. */
static int lock(const char *path, int *ret_fd)
{
    struct stat opened;

    for (unsigned i = 0; i < LOCK_TRIES; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        int error = fd < 0 ? -errno : 0;
        if (!error && (fstat(fd, &opened) < 0 || !S_ISREG(opened.st_mode))) {
            error = -EISDIR;
        }
        if (!error && flock(fd, LOCK_EX | LOCK_NB) < 0) {
            error = -errno;
        }
        if (!error && lod_file_is_named(fd, AT_FDCWD, path, 0)) {
            *ret_fd = fd;
            return 0;
        }
        lod_file_close(fd);
        if (error) {
            return error;
        }
    }
    return -EWOULDBLOCK;
}

int lod_job_file_open(const char *path, struct lod_met_job *ret_job, int *ret_fd)
{
    int fd = -1, error = lock(path, &fd);

    if (error == -EWOULDBLOCK) {
        return lod_fail(LOD_EXIT_LOCKED, "'%pE' is used by another lodfs met", path);
    }
    if (error == -EISDIR || error == -ELOOP) {
        return lod_fail(LOD_EXIT_USAGE, NO_JOB, path, "it is a link, or no file");
    }
    if (error) {
        return lod_fail(error == -ENOENT ? LOD_EXIT_USAGE : LOD_EXIT_FAILED, NO_JOB, path,
                        strerrordesc_np(-error));
    }
    const char *why = read_job(fd, ret_job);
    if (why) {
        close(fd);
        return lod_fail(LOD_EXIT_USAGE, NO_JOB, path, why);
    }
    *ret_fd = fd;
    return LOD_EXIT_OK;
}

/* -------------------------------------------------------------------------------- writing */

static int print_job(const struct lod_met_job *job, FILE *out)
{
    struct lod_json json = {.out.file = out};
    char text[LOD_MET_STATE_BYTES], number[DIGITS + 1];
    const int length = lod_met_state_write(&job->state, text);
    cJSON *state = length < 0 ? NULL : cJSON_ParseWithLength(text, (size_t)length);

    if (!state) {
        return length < 0 ? length : -ENOMEM;
    }
    lod_format(number, sizeof(number), "%" PRIu64, job->number);
    lod_json_object(&json, NULL);
    lod_json_text(&json, "format", FORMAT);
    lod_json_text(&json, "mount", job->mount);
    lod_json_text(&json, "folder", job->folder);
    lod_json_text(&json, "job", number);
    lod_json_number(&json, "room_max", (double)job->room_max);
    lod_json_bool(&json, "begun", job->begun);
    json.inline_from = 2;
    lod_json_value(&json, "met", state);
    json.inline_from = 0;
    lod_json_end(&json);
    cJSON_Delete(state);
    return 0;
}

int lod_job_file_write(const char *path, const struct lod_met_job *job, bool replaces,
                       struct lod_atomic_file *ret_file)
{
    struct lod_atomic_file file;
    int error = strcmp(path, "-") == 0 ? -EINVAL : lod_atomic_file_open(path, replaces, &file);

    if (error == -EEXIST) {
        return lod_fail(LOD_EXIT_USAGE,
                        "'%pE' exists; end that job with `lodfs met end`, or name another file",
                        path);
    }
    if (error) {
        return lod_fail(LOD_EXIT_FAILED, CANNOT_WRITE, path, strerrordesc_np(-error));
    }
    error = print_job(job, file.out);
    errno = 0;
    if (!error && (fflush(file.out) || ferror(file.out) || fsync(fileno(file.out)) < 0)) {
        error = errno ? -errno : -EIO;
    }
    if (error) {
        lod_atomic_file_abandon(&file);
        return lod_fail(LOD_EXIT_FAILED, CANNOT_WRITE, path, strerrordesc_np(-error));
    }
    *ret_file = file;
    return LOD_EXIT_OK;
}

int lod_job_file_commit(struct lod_atomic_file *file)
{
    const char *path = file->path;
    int error = lod_atomic_file_commit(file);

    return error ? lod_fail(LOD_EXIT_FAILED, CANNOT_WRITE, path, strerrordesc_np(-error))
                 : LOD_EXIT_OK;
}
