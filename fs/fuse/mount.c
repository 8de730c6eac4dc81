/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mount, from its options to its end. Every error is found before the fork, or reported to the
 * parent through the pipe. Then there is one session with one loop.
 */
#include "fuse/mount.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "backend/location.h"
#include "clock.h"
#include "read/devices.h"
#include "fuse/change_user.h"
#include "fuse/loop.h"
#include "fuse/ops.h"
#include "fuse/ring.h"
#include "fuse/service.h"
#include "fuse/subdir.h"
#include "memory/available.h"
#include "mount/fuse_needs.h"
#include "mount/memory_plan.h"
#include "mount/options.h"
#include "mount/pressure.h"
#include "mount/mountpoint.h"
#include "fuse/op_wrap.h"
#include "fuse/process_limits.h"
#include "log.h"

#define LOADS_APART 4u /* connections that loads leave to single frames */

/* The mount of this process. All zero: there is nothing to undo. */
struct mount {
    const struct lod_mount_options *given;
    struct lod_fuse_options options;
    char store[PATH_MAX]; /* absolute */
    char place[PATH_MAX];
    char paths[2][PATH_MAX]; /* of options, absolute */
    struct lod_daemon daemon;
    struct lod_dataset *dataset;
    struct lod_devices *devices;
    struct lod_reader *reader;
    struct lod_shard_reader *shards;
    struct lod_memory_plan memory;
    struct lod_pressure *pressure;
    struct lod_control control;
    struct lod_control_files files;
    struct lod_ops ops;
    _Atomic(struct fuse_session *) session; /* NULL: not yet, or not any more */
};

/* Logs libfuse's lines. With -d its debug lines come in parts and go to stderr unchanged. */
LOD_PRINTF(2, 0) static void fuse_line(enum fuse_log_level level, const char *format, va_list args)
{
    char text[1024];

    if (level == FUSE_LOG_DEBUG) {
        vfprintf(stderr, format, args);
        return;
    }
    vsnprintf(text, sizeof(text), format, args);
    text[strcspn(text, "\n")] = '\0';
    lod_log(level <= FUSE_LOG_ERR ? LOD_LOG_ERROR : LOD_LOG_WARNING, "%s", text);
}

/* Makes a local path absolute, since the daemon leaves the current folder. */
static int absolute(const char *location, char ret_path[PATH_MAX])
{
    if (lod_location_is_url(location) || !realpath(location, ret_path)) {
        /* a URL, or missing: lod_dataset_open reports it */
        return snprintf(ret_path, PATH_MAX, "%s", location) < PATH_MAX ? 0 : -ENAMETOOLONG;
    }
    return 0;
}

/* A signal ends the session also while threads wait for a store that does not answer. */
static bool is_over(void *ctx)
{
    struct mount *mount = ctx;
    struct fuse_session *session = atomic_load(&mount->session);

    return session && fuse_session_exited(session);
}

/* Loads leave some connections for single frames. With -o download_parallel there are at most that
 * many loads. */
static unsigned loads_max(const struct lod_fuse_options *options)
{
    const unsigned set = options->settings.connections, parallel = options->download_parallel;
    const unsigned all = set ? set : LOD_CONNECTIONS_DEFAULT;
    const unsigned most = all > LOADS_APART + 1 ? all - LOADS_APART : 1;

    return parallel && parallel < most ? parallel : most;
}

static int open_store(struct mount *mount)
{
    struct lod_why why = {.text = ""};
    char shown[PATH_MAX];
    struct lod_open_options settings = lod_fuse_options_open(&mount->options);
    const struct lod_reader_options options = {.cache_bytes = mount->memory.cache,
                                               .work_bytes = mount->memory.work,
                                               .threads = true,
                                               .loads_max = loads_max(&mount->options)};
    settings.shared = mount->options.store_cache == LOD_STORE_CACHE_SHARED;
    lod_location_show(mount->given->store, shown, sizeof(shown));
    mount->options.settings.own_process = true;
    mount->options.settings.is_over = is_over;
    mount->options.settings.over_ctx = mount;
    int error = lod_dataset_open(mount->store, &settings, &mount->dataset, &why);

    error = error ? error : lod_dataset_check_root(mount->dataset, &why);
    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", shown, lod_why_text(&why, error));
        return error;
    }
    error = lod_subdir_find(mount->dataset, mount->options.subdir, &mount->ops.root);
    if (error) {
        return error;
    }
    error = lod_reader_create(mount->dataset, &options, &mount->reader);
    error = error ? error : lod_shard_reader_create(mount->dataset, mount->reader, &mount->shards);
    error = error ? error
                  : lod_devices_create(lod_devices_choices[mount->options.gpu], &mount->devices);
    if (!error) {
        lod_reader_use_devices(mount->reader, mount->devices);
    }
    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", shown, strerror(-error));
    }
    return error;
}

static int report(const struct mount *mount, int error)
{
    lod_log(LOD_LOG_ERROR, "%pE: %s", mount->given->mountpoint, strerror(-error));
    return error;
}

/* Appends the options for libfuse: always read-only. */
static int add_words(const struct mount *mount, char **text)
{
    const struct lod_fuse_options *options = &mount->options;
    char word[PATH_MAX + 16];
    int failed = fuse_opt_add_opt(text, "ro,nosuid,nodev,default_permissions");

    snprintf(word, sizeof(word), "max_read=%u", options->read_bytes_max);
    failed = failed || fuse_opt_add_opt(text, word);
    snprintf(word, sizeof(word), "fsname=%s", options->fsname ? options->fsname : mount->store);
    failed = failed || fuse_opt_add_opt_escaped(text, word);
    snprintf(word, sizeof(word), "subtype=%s", options->subtype ? options->subtype : "lodfs");
    return failed || fuse_opt_add_opt_escaped(text, word) ||
           (options->allow_other && fuse_opt_add_opt(text, "allow_other")) ||
           (options->allow_root && fuse_opt_add_opt(text, "allow_root")) ||
           (options->io_uring && lod_ring_add_words(text)) ||
           (options->noexec && fuse_opt_add_opt(text, "noexec"));
}

static int create_session(struct mount *mount, struct fuse_session **ret_session)
{
    struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
    char *text = NULL;
    int failed = add_words(mount, &text) || fuse_opt_add_arg(&args, "lodfs") ||
                 fuse_opt_add_arg(&args, "-o") || fuse_opt_add_arg(&args, text) ||
                 (mount->given->debug && fuse_opt_add_arg(&args, "-d"));

    free(text);
    mount->ops = (struct lod_ops){
        .dataset = mount->dataset,
        .reader = mount->reader,
        .shards = mount->shards,
        .daemon = &mount->daemon,
        .control = &mount->control,
        .files = &mount->files,
        .uid = mount->options.uid,
        .gid = mount->options.gid,
        .file_mask = mount->options.file_mask,
        .folder_mask = mount->options.folder_mask,
        .xattr = mount->options.xattr,
        .direct_io = mount->options.cache == LOD_CACHE_NONE,
        .rings = mount->options.io_uring,
        .read_bytes_max = mount->options.read_bytes_max,
        .root = mount->ops.root,
    };
    struct fuse_session *session =
        failed ? NULL
               : fuse_session_new(&args, &lod_wrapped_ops, sizeof(lod_wrapped_ops), &mount->ops);
    fuse_opt_free_args(&args);
    if (!session) {
        return report(mount, -ENOMEM); /* libfuse does not always report it */
    }
    *ret_session = session;
    return 0;
}

static void init_control(struct mount *mount)
{
    struct lod_control_facts facts = {
        .store = mount->store,
        .mountpoint = mount->place,
        .mounter = getuid(),
        .first = mount->options.fidelity,
        .options = &mount->options,
        .began = time(NULL),
        .began_ns = lod_clock_ns(),
    };

    lod_control_init(&mount->control, &facts, mount->dataset, mount->reader);
    lod_control_files_init(&mount->files, &mount->control);
}

static void set_cache(void *ctx, uint64_t bytes)
{
    lod_reader_set_cache(ctx, bytes);
}

/* Only an automatic cache_size gives memory back: another one is what the user asked for. */
static int watch_memory(struct mount *mount)
{
    const struct lod_memory_plan *memory = &mount->memory;

    return memory->cache_min == memory->cache
               ? 0
               : lod_pressure_start(memory->cache_min, memory->cache, set_cache, mount->reader,
                                    &mount->pressure);
}

static int serve(struct mount *mount)
{
    struct fuse_session *session = NULL;
    init_control(mount);
    int error = create_session(mount, &session);
    if (error) {
        goto control;
    }
    if (fuse_set_signal_handlers(session)) {
        error = -EIO;
        goto destroy;
    }
    errno = 0;
    if (fuse_session_mount(session, mount->place)) {
        error = errno == ENOMEM ? report(mount, -ENOMEM) : -EPERM; /* libfuse says the reason */
        goto handlers;
    }
    lod_memory_plan_log(&mount->memory);
    error = lod_notify_start(session, &mount->control, &mount->ops.notify);
    error = error ? error : watch_memory(mount);
    if (!error) {
        atomic_store(&mount->session, session);
        error = lod_loop(session, mount->options.threads);
        lod_store_stop(lod_dataset_store(mount->dataset)); /* requests in flight are cancelled */
        atomic_store(&mount->session, NULL);
        lod_service_stopping();
    }
    error = error ? report(mount, error) : 0;
    mount->pressure = lod_pressure_end(mount->pressure);
    mount->ops.notify = lod_notify_end(mount->ops.notify);
    fuse_session_unmount(session);
handlers:
    fuse_remove_signal_handlers(session);
destroy:
    fuse_session_destroy(session);
control:
    lod_control_files_finish(&mount->files);
    return error;
}

/* Runs in the process that serves. */
static int run(struct mount *mount)
{
    const unsigned rings = mount->options.io_uring ? lod_ring_threads() : 0;

    signal(SIGUSR1, SIG_IGN); /* in other commands it prints progress; here it is ignored */
    mount->memory = lod_memory_plan_make(&mount->options, rings, lod_available_bytes());
    lod_process_limits_set(mount->memory.available);
    mount->options.cache_bytes = mount->memory.cache; /* .lodfs/config shows the number */
    int error = open_store(mount);
    if (!error) {
        mount->options.io_uring = mount->options.io_uring && lod_ring_pays(mount->dataset);
        error = serve(mount);
    }
    lod_daemon_fail(&mount->daemon, error ? error : -EIO); /* if the parent still waits */
    lod_shard_reader_destroy(mount->shards);
    lod_reader_destroy(mount->reader);
    lod_devices_destroy(mount->devices);
    lod_dataset_close(mount->dataset);
    return error;
}

static int prepare(struct mount *mount)
{
    const struct lod_mount_options *given = mount->given;
    int error = lod_fuse_options_parse(&given->o, given->mount8, given->sloppy, &mount->options);

    if (error == -ENOMEM) {
        return report(mount, -ENOMEM);
    }
    if (!error && mount->options.setuid) {
        error = lod_change_user(mount->options.setuid);
    }
    if (mount->options.uid == LOD_ID_OF_MOUNTER) {
        mount->options.uid = getuid();
    }
    if (mount->options.gid == LOD_ID_OF_MOUNTER) {
        mount->options.gid = getgid();
    }
    mount->options.threads = given->single ? 1 : mount->options.threads;
    mount->options.io_uring = mount->options.io_uring && !given->single;
    if (!error) {
        error = absolute(given->store, mount->store);
    }
    for (unsigned i = 0; i < 2 && !error; i++) {
        const char **const path =
            i ? &mount->options.settings.ca_file : &mount->options.tier.folder;
        if (*path) {
            error = absolute(*path, mount->paths[i]);
            *path = mount->paths[i];
        }
    }
    if (!error && lod_mountpoint_is_fd(given->mountpoint)) {
        snprintf(mount->place, sizeof(mount->place), "%s", given->mountpoint);
    } else if (!error) {
        error = lod_mountpoint_prepare(mount->store, given->mountpoint, mount->options.nonempty,
                                       mount->place);
        error = error ? error : lod_fuse_needs_check(given->mountpoint);
    }
    return error;
}

/* Checks that the mount answers. The child has seen the kernel's first request; the answer to
 * another one proves that it serves. */
static int check_answers(const struct mount *mount)
{
    struct statvfs stats;

    if (lod_mountpoint_is_fd(mount->place) || statvfs(mount->place, &stats) == 0) {
        return 0;
    }
    int error = -errno;
    lod_log(LOD_LOG_ERROR, "%pE: the mount does not answer: %s", mount->given->mountpoint,
            strerror(-error));
    return error == -ENOENT || error == -EINVAL ? -EIO : error;
}

static int open_log(const struct lod_mount_options *options, bool foreground)
{
    lod_log_setup(options->debug                   ? LOD_LOG_DEBUG
                  : foreground || options->verbose ? LOD_LOG_INFO
                                                   : LOD_LOG_WARNING);
    fuse_set_log_func(fuse_line);
    int error = options->log_file ? lod_log_to_file(options->log_file) : 0;
    if (error) {
        lod_log(LOD_LOG_ERROR, "the log '%pE' cannot be opened: %s", options->log_file,
                strerror(-error));
    }
    return error == -ENOENT ? -EIO : error; /* -ENOENT is for a missing store */
}

/* Starts the daemon, unless the mount stays in the foreground, and serves. */
static int start(struct mount *mount, bool foreground)
{
    bool parent = false;
    int error = prepare(mount);

    if (!error && !foreground) {
        error = lod_daemon_start(&mount->daemon, &parent);
    }
    return error ? error : parent ? check_answers(mount) : run(mount);
}

int lod_mount_run(const struct lod_mount_options *options)
{
    const bool foreground = options->foreground || options->debug;
    struct mount *mount = calloc(1, sizeof(*mount)); /* too large for a small stack */
    int error = open_log(options, foreground);

    if (!mount) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", options->mountpoint, strerror(ENOMEM));
        return -ENOMEM;
    }
    mount->given = options;
    mount->daemon.pipe = -1;
    error = error ? error : start(mount, foreground);
    lod_fuse_options_finish(&mount->options);
    free(mount);
    return error;
}
