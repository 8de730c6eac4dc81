/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mount from its options to its end: everything that can be refused is refused before the fork
 * or told through it, then one session, one loop.
 */
#include "fuse/mount.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "devices.h"
#include "fuse/loop.h"
#include "fuse/ops.h"
#include "fuse/options.h"
#include "fuse/place.h"
#include "fuse/timed.h"
#include "log.h"

#define MIB          (1024.0 * 1024.0)
#define BASE_BYTES   (48u << 20) /* code, stacks, 6 that prefixes come through, 24 spare */
#define FRAME_BYTES  ((size_t)1 << LOD_FRAME_SHIFT_MAX)              /* one not kept, a thread */
#define THREAD_BYTES (FRAME_BYTES + LOD_READ_BYTES_MAX + (1u << 20)) /* and its request buffer */

#define HEAP_STEP_BYTES (1 << 20)

/* One mount of this process; all zero: nothing to undo. */
struct mount {
    const struct lod_mount_options *given;
    struct lod_fuse_options options;
    char store[PATH_MAX]; /* absolute */
    char place[PATH_MAX];
    struct lod_daemon daemon;
    struct lod_dataset *dataset;
    struct lod_devices *devices;
    struct lod_reader *reader;
    struct lod_control control;
    struct lod_control_files files;
    struct lod_ops ops;
};

/* libfuse's own lines; with -d its debug lines come in parts and go to stderr as they are. */
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

/* A local path is made absolute, since the background leaves this folder. */
static int absolute(const char *location, char ret_path[PATH_MAX])
{
    if (strstr(location, "://") || !realpath(location, ret_path)) {
        /* A URL, or not there: lod_dataset_open says what is wrong with it. */
        return snprintf(ret_path, PATH_MAX, "%s", location) < PATH_MAX ? 0 : -ENAMETOOLONG;
    }
    return 0;
}

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* less is slower, not wrong */
    }
}

/*
 * One heap for all threads: a heap a thread grows page by page (an mprotect for each frame read,
 * measured) and keeps what other threads freed. Small blocks come from each thread's own list.
 */
static void set_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, HEAP_STEP_BYTES);
}

static void print_peak(const struct mount *mount, uint64_t threads)
{
    uint64_t fixed = LOD_INDEX_CACHE_BYTES + LOD_RECORD_CACHE_BYTES + BASE_BYTES;
    uint64_t gpu = strcmp(mount->options.gpu, "off") == 0 ? 0 : LOD_DEVICES_BYTES_MAX;
    uint64_t all =
        mount->options.cache_bytes + LOD_WORK_SIZE_DEFAULT + fixed + threads * THREAD_BYTES + gpu;

    lod_log(LOD_LOG_INFO,
            "memory at most %.0f MiB: cache %.0f, work %.0f, index and records %.0f, %u threads"
            " %.0f, base %.0f, buffers of a GPU %.0f",
            (double)all / MIB, (double)mount->options.cache_bytes / MIB,
            (double)LOD_WORK_SIZE_DEFAULT / MIB,
            (LOD_INDEX_CACHE_BYTES + LOD_RECORD_CACHE_BYTES) / MIB, (unsigned)threads,
            (double)(threads * THREAD_BYTES) / MIB, BASE_BYTES / MIB, (double)gpu / MIB);
}

static int open_store(struct mount *mount)
{
    char why[512] = "";
    const struct lod_mounted how = {
        .slow = {.bytes_per_second = mount->options.download_limit,
                 .latency_ms = mount->options.download_latency},
        .page_cache = mount->options.store_cache == LOD_CACHE_KERNEL,
    };
    int error = lod_dataset_open_mounted(mount->store, &how, &mount->dataset, why, sizeof(why));

    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: %s", mount->given->store, *why ? why : strerror(-error));
        return error;
    }
    error = lod_reader_create(mount->dataset, mount->options.cache_bytes, LOD_WORK_SIZE_DEFAULT,
                              &mount->reader);
    error = error ? error : lod_devices_create(mount->options.gpu, &mount->devices);
    if (!error) {
        lod_reader_use_devices(mount->reader, mount->devices);
    }
    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: %s", mount->given->store, strerror(-error));
    }
    return error;
}

static int no_memory(const struct mount *mount)
{
    lod_log(LOD_LOG_ERROR, "%s: %s", mount->given->mountpoint, strerror(ENOMEM));
    return -ENOMEM;
}

static int create_session(struct mount *mount, struct fuse_session **ret_session)
{
    struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
    char *text = NULL;
    int error = lod_fuse_options_text(&mount->options, mount->store, &text);
    int failed = error || fuse_opt_add_arg(&args, "lodfs") || fuse_opt_add_arg(&args, "-o") ||
                 fuse_opt_add_arg(&args, text) ||
                 (mount->given->debug && fuse_opt_add_arg(&args, "-d"));

    free(text);
    mount->ops = (struct lod_ops){
        .dataset = mount->dataset,
        .reader = mount->reader,
        .daemon = &mount->daemon,
        .control = &mount->control,
        .files = &mount->files,
        .uid = mount->options.uid,
        .gid = mount->options.gid,
        .file_mask = mount->options.file_mask,
        .folder_mask = mount->options.folder_mask,
        .direct_io = mount->options.cache == LOD_CACHE_NONE,
        .read_bytes_max = (unsigned)mount->options.read_bytes_max,
    };
    struct fuse_session *session =
        failed ? NULL : fuse_session_new(&args, &lod_timed_ops, sizeof(lod_timed_ops), &mount->ops);
    fuse_opt_free_args(&args);
    if (!session) {
        return no_memory(mount); /* libfuse does not always say so */
    }
    *ret_session = session;
    return 0;
}

static void init_control(struct mount *mount, uint64_t threads)
{
    struct lod_control_facts facts = {
        .store = mount->store,
        .mountpoint = mount->place,
        .mounter = getuid(),
        .first = mount->options.fidelity,
        .threads = threads,
        .options = &mount->options,
        .began = time(NULL),
    };

    lod_control_init(&mount->control, &facts, mount->dataset, mount->reader);
    lod_control_files_init(&mount->files, &mount->control);
}

static int serve(struct mount *mount)
{
    uint64_t threads = mount->given->single ? 1 : mount->options.threads;
    struct fuse_session *session = NULL;
    init_control(mount, threads);
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
        error = errno == ENOMEM ? no_memory(mount) : -EPERM; /* libfuse printed the reason */
        goto handlers;
    }
    print_peak(mount, threads);
    error = lod_notify_start(session, &mount->control, &mount->ops.notify);
    if (!error) {
        error = lod_loop(session, (unsigned)threads);
        mount->ops.notify = lod_notify_end(mount->ops.notify);
    }
    fuse_session_unmount(session);
handlers:
    fuse_remove_signal_handlers(session);
destroy:
    fuse_session_destroy(session);
control:
    lod_control_files_finish(&mount->files);
    return error;
}

/* In the process that serves. */
static int run(struct mount *mount)
{
    raise_file_limit();
    set_heap();
    int error = open_store(mount);
    if (!error) {
        error = serve(mount);
    }
    lod_daemon_fail(&mount->daemon, error ? error : -EIO); /* if nobody was told yet */
    lod_reader_destroy(mount->reader);
    lod_devices_destroy(mount->devices);
    lod_dataset_close(mount->dataset);
    return error;
}

static int prepare(struct mount *mount)
{
    const struct lod_mount_options *given = mount->given;
    int error = lod_fuse_options_parse(given->o, given->mount8, given->sloppy, &mount->options);

    if (error == -ENOMEM) {
        return no_memory(mount);
    }
    if (!error) {
        error = absolute(given->store, mount->store);
    }
    if (!error && lod_place_is_fd(given->mountpoint)) {
        snprintf(mount->place, sizeof(mount->place), "%s", given->mountpoint);
    } else if (!error) {
        error = lod_place_prepare(mount->store, given->mountpoint, mount->options.nonempty,
                                  mount->place);
    }
    return error;
}

/* The child saw the kernel's first request; an answer to another one proves that it serves. */
static int check_answers(const struct mount *mount)
{
    struct statvfs stats;

    if (lod_place_is_fd(mount->place) || statvfs(mount->place, &stats) == 0) {
        return 0;
    }
    int error = -errno;
    lod_log(LOD_LOG_ERROR, "%s: the mount does not answer: %s", mount->given->mountpoint,
            strerror(-error));
    return error == -ENOENT || error == -EINVAL ? -EIO : error;
}

int lod_mount_run(const struct lod_mount_options *options)
{
    struct mount mount = {.given = options, .daemon = {.pipe = -1}};
    bool foreground = options->foreground || options->debug, parent = false;

    lod_log_setup(options->debug ? LOD_LOG_DEBUG
                  : foreground   ? LOD_LOG_INFO
                                 : LOD_LOG_WARNING,
                  false);
    fuse_set_log_func(fuse_line);
    int error = prepare(&mount);
    if (!error && !foreground) {
        error = lod_daemon_start(&mount.daemon, &parent);
    }
    if (!error && parent) {
        error = check_answers(&mount);
    }
    if (!error && !parent) {
        error = run(&mount);
    }
    lod_fuse_options_finish(&mount.options);
    return error;
}
