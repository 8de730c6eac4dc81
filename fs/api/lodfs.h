/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs: stores and their tables without a mount. C and C++. lodfs_order.h has the order in
 * which a job reads a store, lodfs_met.h mini-epochs.
 *
 * Errors. Functions that can fail return 0 or a negative errno. They write results only on success.
 * After an error *error gets a sentence, unless it is NULL.
 *
 *   -ENOENT        There is no such store, path or file at that fidelity.
 *   -ENOTSUP       The store has another format version or feature.
 *   -EINVAL        An argument is out of range.
 *   -ERANGE        The caller's memory is too small for the result.
 *   -EBADMSG       A hash differs.
 *   -EILSEQ        Stored bytes are malformed.
 *   -EIO           Stored bytes cannot be read, or are damaged.
 *   -ETIMEDOUT     Another thread did not finish reading the same bytes within 30 seconds. They
 *                  are not known to be damaged, and another read can succeed.
 *   -ENAMETOOLONG  A name has more than 255 bytes, or a path more than 4,095.
 *   -ENODATA       There is nothing to select.
 *
 * Others are -ENOTDIR, -EISDIR, -E2BIG (a limit), -ENOMEM, and errors of opening and reading files.
 *
 * Threads. The library starts no thread, except that the driver of a device can. Any number of
 * threads may use a handle at once. Close it only when no other thread uses it. The library prints
 * nothing and changes no signal handler.
 *
 * Forks. Handles may be used and closed in a forked child, even if other threads of the parent were
 * using them during the fork.
 *
 * - Stores: the first use in the child opens the store again. So its folder must still be there and
 *   be readable. The result is -ESTALE if the folder holds another store now.
 * - Tables are in memory and need nothing. For devices see lodfs_device_open.
 * - The child keeps the memory and descriptors of the parent's store until it ends or calls exec.
 * - close never waits for the parent.
 * - A child made by vfork, _Fork or clone may call no function of this library.
 *
 * Strings. The caller does not free returned strings. Those of lodfs_version and lodfs_device_kind
 * are static; others live as long as their handle.
 */
#ifndef LODFS_H
#define LODFS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LODFS_EXPORT __attribute__((visibility("default")))

struct lodfs_error {
    char message[512];
};

/* Returns the version, such as "0.1.0". */
LODFS_EXPORT const char *lodfs_version(void);

/* ------------------------------------------------------------------------------ stores */

/* Fidelities q1 .. q10 are 1 .. 10. */
#define LODFS_FULL     11
#define LODFS_ORIGINAL 12

/* Returns the number of "q5", "full", "original" and the like; 0 if no fidelity has this name. */
LODFS_EXPORT int lodfs_fidelity(const char *name);

struct lodfs_store;

/*
 * Opens the store in a folder, behind a URL of s3:, https: or http: (mount.lodfs(8) says where
 * keys come from), or shown at a mount point. Up to cache_bytes (0: 64 MiB) of frames are cached.
 * Computing bytes from them takes up to 256 MiB more at a time. lodfs_store_close accepts NULL;
 * open files keep working after it.
 */
LODFS_EXPORT int lodfs_store_open(const char *path, uint64_t cache_bytes,
                                  struct lodfs_store **ret_store, struct lodfs_error *error);
LODFS_EXPORT void lodfs_store_close(struct lodfs_store *store);

enum lodfs_kind { LODFS_FILE = 1, LODFS_FOLDER = 2, LODFS_SYMLINK = 3 };

/* An entry of the store, as a mount shows it. */
struct lodfs_entry {
    char name[256]; /* without its folder; "" for the root */
    uint32_t kind;  /* enum lodfs_kind */
    uint32_t mode;  /* 0777 */
    uint64_t bytes; /* of the file at this fidelity, or of a link's target */
    int64_t mtime_seconds;
    uint32_t mtime_nanoseconds;
    uint32_t reserved;
};

/* Returns the entry at `path`, relative to the source; "" is its root. Links are not followed. */
LODFS_EXPORT int lodfs_stat(struct lodfs_store *store, const char *path, int fidelity,
                            struct lodfs_entry *ret_entry, struct lodfs_error *error);

/*
 * Returns up to `room` entries of the folder `path`, sorted by name. *cursor is 0 at first and
 * marks the place for the next call. *ret_count is 0 at the end. original/ omits files whose exact
 * bytes are not stored.
 */
LODFS_EXPORT int lodfs_list(struct lodfs_store *store, const char *path, int fidelity,
                            uint64_t *cursor, struct lodfs_entry *entries, size_t room,
                            size_t *ret_count, struct lodfs_error *error);

/* Bytes [offset, offset + bytes) of the file, clipped to its end. */
LODFS_EXPORT int lodfs_read(struct lodfs_store *store, const char *path, int fidelity,
                            uint64_t offset, void *into, size_t bytes, size_t *ret_bytes,
                            struct lodfs_error *error);

/*
 * An open file: reads need no lookup of a path, and are thread-safe. It keeps the store open, so
 * the store may be closed first. Links are not followed: -EINVAL.
 */
struct lodfs_file;
LODFS_EXPORT int lodfs_file_open(struct lodfs_store *store, const char *path, int fidelity,
                                 struct lodfs_file **ret_file, struct lodfs_error *error);
LODFS_EXPORT uint64_t lodfs_file_bytes(const struct lodfs_file *file);
/* Bytes [offset, offset + bytes) of the file, clipped to its end. */
LODFS_EXPORT int lodfs_file_read(struct lodfs_file *file, uint64_t offset, void *into, size_t bytes,
                                 size_t *ret_bytes, struct lodfs_error *error);
/* Accepts NULL. */
LODFS_EXPORT void lodfs_file_close(struct lodfs_file *file);

/*
 * The same for paths as a mount shows them: "q4/cat/1.jpg", "decoded/q4/cat/1.ppm",
 * "tar/q4/train-000000.tar", "tfrecord/q4/train-000000.idx". "" is the mount's root; its listing
 * has the folders that this store can have. Links `auto` and .lodfs belong to a running mount and
 * are left out. Files that are made when they are read, such as those of tar/, may take 16 MiB more
 * memory for each store.
 */
LODFS_EXPORT int lodfs_view_stat(struct lodfs_store *store, const char *path,
                                 struct lodfs_entry *ret_entry, struct lodfs_error *error);
LODFS_EXPORT int lodfs_view_list(struct lodfs_store *store, const char *path, uint64_t *cursor,
                                 struct lodfs_entry *entries, size_t room, size_t *ret_count,
                                 struct lodfs_error *error);
LODFS_EXPORT int lodfs_view_open(struct lodfs_store *store, const char *path,
                                 struct lodfs_file **ret_file, struct lodfs_error *error);

/* Writes the target of a symbolic link with a NUL into up to `room` bytes; 4,096 suffice. Returns
 * -ERANGE if it does not fit. */
LODFS_EXPORT int lodfs_link(struct lodfs_store *store, const char *path, char *into, size_t room,
                            struct lodfs_error *error);

/* ---------------------------------------------------------------------------- likeness */

/* The images that a network gets. All 0: photographs at their own size, target .95. */
struct lodfs_likeness_options {
    uint32_t size;   /* shorter side after the resize, 11 .. 4,096; 0: no resize */
    uint32_t sample; /* photographs to begin with, 2 .. 65,536; 0: 128 */
    double crop; /* least share of the area that a random crop of size x size covers; 0: no crops */
    double target; /* MS-SSIM to reach, up to 1; 0: .95 */
};

/* Adjacent fidelities, first .. last, that show the same bytes. */
struct lodfs_likeness_level {
    int32_t first, last;
    double bytes;       /* bytes read of the store for a photograph, the mean */
    double mssim;       /* mean likeness to the full image, up to 1: equal */
    double within;      /* two standard errors of that mean */
    double worst_tenth; /* the likeness that nine of ten photographs exceed */
};

#define LODFS_LEVELS_MAX 11

struct lodfs_likeness {
    uint64_t
        photographs;     /* files of the store that have lower fidelities; equal files count once */
    uint32_t compared;   /* of them: the sample */
    uint32_t unreadable; /* photographs that are left out: damaged, or not of 8 bits */
    uint32_t small;      /* photographs that are left out: a side is below 11 pixels */
    int32_t fidelity;    /* the lowest that reaches the target by two standard errors */
    uint32_t decided;    /* 0: a larger sample may find a lower one */
    uint32_t count;      /* of levels, the lowest first */
    struct lodfs_likeness_level levels[LODFS_LEVELS_MAX];
    uint64_t large; /* of `photographs`: too large to decode, so they are not in the sample */
};

/*
 * Compares photographs of the store at every fidelity with the full ones, as `lodfs fidelity` does,
 * in the calling thread: some seconds. `options` NULL: all 0.
 *
 * -ENODATA  nothing in the store has lower fidelities
 * -EIO      more than one photograph in 20 cannot be compared, or most are too large to decode
 */
LODFS_EXPORT int lodfs_likeness(struct lodfs_store *store,
                                const struct lodfs_likeness_options *options,
                                struct lodfs_likeness *ret_likeness, struct lodfs_error *error);

/* ------------------------------------------------------------------------------ tables */

/*
 * A table of R rows and C columns of numbers, in compressed shards. In memory its shards have the
 * form that products need: expanded but not decompressed, a few times their stored size.
 */
struct lodfs_table;

/*
 * Opens a shard file, or a folder x.toc of shards, which form one table in the order of their
 * numbers. The path is on disk, in a mount, or with lodfs_table_open_store in an open store.
 */
LODFS_EXPORT int lodfs_table_open(const char *path, struct lodfs_table **ret_table,
                                  struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_open_store(struct lodfs_store *store, const char *path,
                                        struct lodfs_table **ret_table, struct lodfs_error *error);
/* Opens one shard. `bytes` is not used after the call. */
LODFS_EXPORT int lodfs_table_open_bytes(const void *bytes, size_t count,
                                        struct lodfs_table **ret_table, struct lodfs_error *error);
LODFS_EXPORT void lodfs_table_close(struct lodfs_table *table);

LODFS_EXPORT uint64_t lodfs_table_rows(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_columns(const struct lodfs_table *table);
LODFS_EXPORT uint32_t lodfs_table_shards(const struct lodfs_table *table);
/*
 * Return the type of the elements as NumPy writes it, such as "<f8", and their size: 1, 2, 4 or 8.
 */
LODFS_EXPORT const char *lodfs_table_dtype(const struct lodfs_table *table);
LODFS_EXPORT uint32_t lodfs_table_element_bytes(const struct lodfs_table *table);
/* Return the bytes of the table in memory, and the bytes of its stored shards. */
LODFS_EXPORT uint64_t lodfs_table_memory_bytes(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_stored_bytes(const struct lodfs_table *table);

/*
 * Mini-batches are numbered through all shards; products work on them. lodfs_table_batch_rows
 * returns the rows of batches first .. first + count - 1; 0 if there are no such batches.
 * lodfs_table_batch_start returns the first row of a batch.
 */
LODFS_EXPORT uint64_t lodfs_table_batches(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_batch_rows(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count);
LODFS_EXPORT uint64_t lodfs_table_batch_start(const struct lodfs_table *table, uint64_t batch);

/*
 * Return rows first .. first + count - 1 without gaps. lodfs_table_elements returns the source's
 * elements, bit for bit, of lodfs_table_element_bytes each. The others return numbers of 8 or 4
 * bytes. `into` has the alignment of its type; for elements it needs none.
 */
LODFS_EXPORT int lodfs_table_elements(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, void *into, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_dense_f8(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, double *into, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_dense_f4(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, float *into, struct lodfs_error *error);

/* Returns A * c as a new table; the given one may be closed first. */
LODFS_EXPORT int lodfs_table_scale(const struct lodfs_table *table, double c,
                                   struct lodfs_table **ret_table, struct lodfs_error *error);

/*
 * Products with batches first .. first + count - 1, of R rows and C columns. All arrays are in C
 * order without gaps, and `into` is overwritten. Zeros of the table are left out of every sum, so 0
 * times infinity is 0.
 *
 * `scratch` is memory of lodfs_table_scratch_bytes, of any alignment and contents. Only one thread
 * may use it at a time. With NULL it is allocated for the call. k is the number of columns or rows
 * of M, 1 for vectors. lodfs_table_scratch_bytes returns UINT64_MAX for a k that is too large.
 */
LODFS_EXPORT uint64_t lodfs_table_scratch_bytes(const struct lodfs_table *table, uint64_t k);

/* A v: `v` has C numbers, `into` R. */
LODFS_EXPORT int lodfs_table_times_vector_f8(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const double *v, double *into,
                                             void *scratch, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_times_vector_f4(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const float *v, float *into,
                                             void *scratch, struct lodfs_error *error);
/* v A: `v` has R numbers, `into` C. */
LODFS_EXPORT int lodfs_table_vector_times_f8(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const double *v, double *into,
                                             void *scratch, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_vector_times_f4(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const float *v, float *into,
                                             void *scratch, struct lodfs_error *error);
/* A M: `m` is C x k, `into` R x k. */
LODFS_EXPORT int lodfs_table_times_matrix_f8(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const double *m, uint32_t k,
                                             double *into, void *scratch,
                                             struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_times_matrix_f4(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const float *m, uint32_t k,
                                             float *into, void *scratch, struct lodfs_error *error);
/* M A: `m` is k x R, `into` k x C. */
LODFS_EXPORT int lodfs_table_matrix_times_f8(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const double *m, uint32_t k,
                                             double *into, void *scratch,
                                             struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_matrix_times_f4(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count, const float *m, uint32_t k,
                                             float *into, void *scratch, struct lodfs_error *error);

/* ------------------------------------------------------------------- images and devices */

/* A .l3 file, as native/ of a mount shows lossless images: H x W x C samples. */
struct lodfs_l3_info {
    uint32_t width, height, channels;
    uint32_t sample_bytes; /* 1, or 2 (little endian) */
    uint64_t bytes;        /* of all pixels */
};
LODFS_EXPORT int lodfs_l3_info(const void *file, size_t count, struct lodfs_l3_info *ret_info,
                               struct lodfs_error *error);

/*
 * A device that decodes images: "host", "opencl" or "cuda". Returns -ENODEV if there is none, or if
 * its driver was opened before this process was forked. Drivers do not survive fork: a device that
 * a child inherits is the host there.
 */
struct lodfs_device;
LODFS_EXPORT int lodfs_device_open(const char *name, struct lodfs_device **ret_device,
                                   struct lodfs_error *error);
/* Close it after all images on it were released. Accepts NULL. */
LODFS_EXPORT void lodfs_device_close(struct lodfs_device *device);
/* Returns the kind, such as "opencl"; "host" after it failed, or in a forked child, where the host
 * decodes. */
LODFS_EXPORT const char *lodfs_device_kind(struct lodfs_device *device);
/* Returns the device's own name. */
LODFS_EXPORT const char *lodfs_device_label(struct lodfs_device *device);

/*
 * Decodes the pixels of a .l3 file: rows from the top without gaps. Gray is scaled to 8 bits, or
 * has 16; a palette is replaced by its colours. `device` NULL means the host. `into` needs no
 * alignment. Returns -ERANGE if `room` is less than the `bytes` of lodfs_l3_info.
 */
LODFS_EXPORT int lodfs_l3_decode(const void *file, size_t count, struct lodfs_device *device,
                                 void *into, size_t room, struct lodfs_error *error);

/*
 * The same, but the pixels stay in the memory of a device until lodfs_l3_release. *ret_address is
 * their address there, in CUDA's primary context of device 0.
 *
 * -ENOTSUP  the device has no such addresses, or the image has a palette or less than 8 bits
 * -ENODEV   `device` was opened before this process was forked
 */
LODFS_EXPORT int lodfs_l3_decode_there(const void *file, size_t count, struct lodfs_device *device,
                                       uint64_t *ret_address, struct lodfs_error *error);
LODFS_EXPORT void lodfs_l3_release(struct lodfs_device *device, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
