/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs: stores and their tables without a mount. C and C++.
 *
 * Functions that can fail return 0 or a negative errno, write their results only on success, and
 * put a sentence into *error if it is not NULL. Handles may be used by any number of threads at
 * once, but for close. Nothing is printed, no signal is touched, no thread is started.
 *
 *   -ENOENT   no such store, path or file at that fidelity    -EBADMSG  a hash differs
 *   -ENOTSUP  another format version or feature               -EILSEQ   malformed
 *   -EINVAL   an argument is out of range                     -EIO      stored bytes are damaged
 *   -ENOTDIR, -EISDIR, -E2BIG (a limit), -ENOMEM, and what opening and reading files give
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

/* "0.1.0" */
LODFS_EXPORT const char *lodfs_version(void);

/* ------------------------------------------------------------------------------ stores */

/* Fidelities q1 .. q10 are 1 .. 10. */
#define LODFS_FULL     11
#define LODFS_ORIGINAL 12

/* "q5", "full", "original"; 0: no fidelity has this name. */
LODFS_EXPORT int lodfs_fidelity(const char *name);

struct lodfs_store;

/*
 * Opens the store in a folder. Frames that are read are kept in up to cache_bytes (0: 64 MiB);
 * what is made of them takes up to 256 MiB more while it is made. close accepts NULL; no thread
 * may use the store then.
 */
LODFS_EXPORT int lodfs_store_open(const char *path, uint64_t cache_bytes,
                                  struct lodfs_store **ret_store, struct lodfs_error *error);
LODFS_EXPORT void lodfs_store_close(struct lodfs_store *store);

enum lodfs_kind { LODFS_FILE = 1, LODFS_FOLDER = 2, LODFS_SYMLINK = 3 };

/* A name of the store, as a mount shows it. */
struct lodfs_entry {
    char name[256]; /* without its folder; "" for the root */
    uint32_t kind;  /* enum lodfs_kind */
    uint32_t mode;  /* 0777 */
    uint64_t bytes; /* of the file at the fidelity asked for, of a symbolic link's target */
    int64_t mtime_seconds;
    uint32_t mtime_nanoseconds;
    uint32_t reserved;
};

/* What is at `path`, relative to the source; "" is its root. Links are not followed. */
LODFS_EXPORT int lodfs_stat(struct lodfs_store *store, const char *path, int fidelity,
                            struct lodfs_entry *ret_entry, struct lodfs_error *error);

/*
 * Up to `room` entries of the folder `path`, by name, from where *cursor stands, which is 0 to
 * begin; *ret_count 0: there are no more. original/ leaves out what it does not hold.
 */
LODFS_EXPORT int lodfs_list(struct lodfs_store *store, const char *path, int fidelity,
                            uint64_t *cursor, struct lodfs_entry *entries, size_t room,
                            size_t *ret_count, struct lodfs_error *error);

/* Bytes [offset, offset + bytes) of the file, clipped to its end. */
LODFS_EXPORT int lodfs_read(struct lodfs_store *store, const char *path, int fidelity,
                            uint64_t offset, void *into, size_t bytes, size_t *ret_bytes,
                            struct lodfs_error *error);

/* The text of a symbolic link, cut at `room`, with a NUL. */
LODFS_EXPORT int lodfs_link(struct lodfs_store *store, const char *path, char *into, size_t room,
                            struct lodfs_error *error);

/* ------------------------------------------------------------------------------ tables */

/*
 * A table is R rows of C numbers in compressed shards. It is held in memory as products need it,
 * expanded but not unpacked; a few times the bytes of its shards.
 */
struct lodfs_table;

/*
 * Opens a shard file, or a folder x.toc of shards, which are then one table in the order of their
 * numbers: on disk, below a mount, or (lodfs_table_open_store) in an open store.
 */
LODFS_EXPORT int lodfs_table_open(const char *path, struct lodfs_table **ret_table,
                                  struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_open_store(struct lodfs_store *store, const char *path,
                                        struct lodfs_table **ret_table, struct lodfs_error *error);
/* One shard; the bytes are not needed afterwards. */
LODFS_EXPORT int lodfs_table_open_bytes(const void *bytes, size_t count,
                                        struct lodfs_table **ret_table, struct lodfs_error *error);
LODFS_EXPORT void lodfs_table_close(struct lodfs_table *table);

LODFS_EXPORT uint64_t lodfs_table_rows(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_columns(const struct lodfs_table *table);
LODFS_EXPORT uint32_t lodfs_table_shards(const struct lodfs_table *table);
/* Of the elements, as NumPy writes it: "<f8". */
LODFS_EXPORT const char *lodfs_table_dtype(const struct lodfs_table *table);
/* Bytes that the table takes in memory, and those of its shards as they are stored. */
LODFS_EXPORT uint64_t lodfs_table_memory_bytes(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_stored_bytes(const struct lodfs_table *table);

/*
 * Mini-batches, numbered through all shards: what products work on. The rows of batches first ..
 * first + count - 1, which is 0 if there are no such; and the row that the first begins with.
 */
LODFS_EXPORT uint64_t lodfs_table_batches(const struct lodfs_table *table);
LODFS_EXPORT uint64_t lodfs_table_batch_rows(const struct lodfs_table *table, uint64_t first,
                                             uint64_t count);
LODFS_EXPORT uint64_t lodfs_table_batch_start(const struct lodfs_table *table, uint64_t batch);

/* Rows first .. first + count - 1: as the source had them, bit for bit, or as numbers. */
LODFS_EXPORT int lodfs_table_elements(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, void *into, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_dense_f8(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, double *into, struct lodfs_error *error);
LODFS_EXPORT int lodfs_table_dense_f4(const struct lodfs_table *table, uint64_t first,
                                      uint64_t count, float *into, struct lodfs_error *error);

/* A * c as a table of its own; the first may be closed before it. */
LODFS_EXPORT int lodfs_table_scale(const struct lodfs_table *table, double c,
                                   struct lodfs_table **ret_table, struct lodfs_error *error);

/*
 * Products with batches first .. first + count - 1 (R rows, C columns); all are C order without
 * gaps, `into` is overwritten. Zeros of the table are left out of every sum, so 0 times infinity
 * is 0. `scratch` is memory of lodfs_table_scratch_bytes for as many columns or rows k of M (1 for
 * vectors), one a thread; with NULL it is allocated.
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
    uint32_t sample_bytes; /* 1; 2: little endian */
    uint64_t bytes;        /* of all pixels */
};
LODFS_EXPORT int lodfs_l3_info(const void *file, size_t count, struct lodfs_l3_info *ret_info,
                               struct lodfs_error *error);

/* Where images are decoded: "host", "opencl" or "cuda". -ENODEV: there is none here. */
struct lodfs_device;
LODFS_EXPORT int lodfs_device_open(const char *name, struct lodfs_device **ret_device,
                                   struct lodfs_error *error);
/* Not across fork, and after all that was decoded to stay on it was released. Accepts NULL. */
LODFS_EXPORT void lodfs_device_close(struct lodfs_device *device);
/* "opencl", say; "host" once it failed, and all is decoded there. */
LODFS_EXPORT const char *lodfs_device_kind(struct lodfs_device *device);
/* Its own name for itself. */
LODFS_EXPORT const char *lodfs_device_label(struct lodfs_device *device);

/*
 * The pixels of a .l3 file, rows from the top without gaps: gray scaled to 8 bits or of 16, colours
 * in place of a palette. `device` may be NULL: the host.
 */
LODFS_EXPORT int lodfs_l3_decode(const void *file, size_t count, struct lodfs_device *device,
                                 void *into, size_t room, struct lodfs_error *error);

/*
 * The same, left in the memory of a device: its address there, as CUDA's primary context of device
 * 0 knows it, until lodfs_l3_release. -ENOTSUP: the device has no such addresses, or the image has
 * a palette or less than 8 bits.
 */
LODFS_EXPORT int lodfs_l3_decode_there(const void *file, size_t count, struct lodfs_device *device,
                                       uint64_t *ret_address, struct lodfs_error *error);
LODFS_EXPORT void lodfs_l3_release(struct lodfs_device *device, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
