/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of a store behind HTTP, as the back-end table wants them. An object whose size is known
 * is opened without a request. Of any other object the first 64 KiB are read; the answer also has
 * its size.
 */
#ifndef LOD_REMOTE_OBJECT_H
#define LOD_REMOTE_OBJECT_H

#include "remote/remote.h"

/* Members of the back-end table; their state is a struct lod_remote. */
int lod_remote_object_open(void *state, const char *name, const struct lod_object_facts *facts,
                           void **ret_object, uint64_t *ret_bytes);
void lod_remote_object_close(void *object);
void lod_remote_object_read(void *object, struct lod_range *ranges, unsigned count,
                            enum lod_read_class class, struct lod_read_time *ret_time);
bool lod_remote_object_report_wrong(void *object, uint64_t offset, size_t bytes);

/* Sends a large load as several requests. */
int lod_remote_object_load(void *object, uint64_t offset, void *into, size_t bytes,
                           enum lod_read_class class, unsigned parts,
                           struct lod_read_time *ret_time);

#endif
