/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the groups of a transcoded JPEG: the head, the scans, and every other APPn and COM.
 * FORMAT.md, pcr, Head and groups.
 */
#include "pcr/jpeg/exif.h"
#include "pcr/entropy/scans_split.h"
#include "pcr/pcr_write.h"
#include "pcr/pcr_row.h"

#define JFIF_BYTES 18 /* an APP0 without a thumbnail, marker included */

static const uint8_t soi[] = {0xff, 0xd8};

static const uint8_t *segment_at(const struct lod_pcr_job *job,
                                 const struct lod_jpeg_segment *segment)
{
    return job->source.at + segment->offset;
}

/* Returns the first JFIF segment, which goes into the head, or NULL. */
static const struct lod_jpeg_segment *first_jfif(const struct lod_pcr_job *job)
{
    for (unsigned i = 0; i < job->layout.segments_count; i++) {
        if (job->layout.segments[i].kind == LOD_JPEG_JFIF) {
            return &job->layout.segments[i];
        }
    }
    return NULL;
}

/* Writes the JFIF segment without its thumbnail: length 16, version, units and densities, 0 x 0. */
static void plain_jfif(const struct lod_pcr_job *job, const struct lod_jpeg_segment *jfif,
                       uint8_t ret_plain[JFIF_BYTES])
{
    memcpy(ret_plain, segment_at(job, jfif), JFIF_BYTES);
    ret_plain[2] = 0;
    ret_plain[3] = JFIF_BYTES - 2;
    ret_plain[JFIF_BYTES - 2] = 0;
    ret_plain[JFIF_BYTES - 1] = 0;
}

static int append_kind(const struct lod_pcr_job *job, enum lod_jpeg_segment_kind kind,
                       struct lod_buf *out)
{
    int error = 0;

    for (unsigned i = 0; i < job->layout.segments_count && !error; i++) {
        const struct lod_jpeg_segment *segment = &job->layout.segments[i];
        if (segment->kind == kind) {
            error = lod_buf_append(out, segment_at(job, segment), segment->bytes);
        }
    }
    return error;
}

/* Writes the head: SOI, JFIF, the orientation if the source has one, Adobe, ICC. */
static int make_head(const struct lod_pcr_job *job, struct lod_encoded *item)
{
    struct lod_buf *head = &item->group[0];
    const struct lod_jpeg_segment *jfif = first_jfif(job);
    uint8_t plain[JFIF_BYTES], exif[LOD_EXIF_BYTES];

    int error = lod_buf_append(head, soi, sizeof(soi));
    if (jfif && !error) {
        plain_jfif(job, jfif, plain);
        error = lod_buf_append(head, plain, sizeof(plain));
    }
    item->row[LOD_PCR_APP_SPLIT] = (uint8_t)head->bytes; /* SOI and a JFIF segment at most */
    if (job->layout.orientation > 1 && !error) {
        item->row[0] |= LOD_ITEM_ORIENT;
        lod_exif_write(job->layout.orientation, exif);
        error = lod_buf_append(head, exif, sizeof(exif));
    }
    if (!error) {
        error = append_kind(job, LOD_JPEG_ADOBE, head);
    }
    return error ? error : append_kind(job, LOD_JPEG_ICC, head);
}

/* Copies all segments that the head does not have unchanged, in source order. */
static int make_apps(const struct lod_pcr_job *job, struct lod_buf *out)
{
    const struct lod_jpeg_segment *jfif = first_jfif(job);
    uint8_t plain[JFIF_BYTES];
    int error = 0;

    for (unsigned i = 0; i < job->layout.segments_count && !error; i++) {
        const struct lod_jpeg_segment *segment = &job->layout.segments[i];
        bool in_head = segment->kind == LOD_JPEG_ADOBE || segment->kind == LOD_JPEG_ICC;
        if (segment == jfif) {
            plain_jfif(job, jfif, plain);
            in_head = segment->bytes == JFIF_BYTES &&
                      memcmp(segment_at(job, segment), plain, JFIF_BYTES) == 0;
        }
        if (!in_head) {
            error = lod_buf_append(out, segment_at(job, segment), segment->bytes);
        }
    }
    return error;
}

int lod_pcr_groups_write(const struct lod_pcr_job *job, struct lod_encoded *item)
{
    int error = make_head(job, item);

    error = error ? error : lod_scans_split(lod_buf_span(&job->written), &job->script, item->group);
    error = error ? error : lod_pcr_closing_write(job, item);
    return error ? error : make_apps(job, &item->group[LOD_PCR_GROUP_APP - 1]);
}
