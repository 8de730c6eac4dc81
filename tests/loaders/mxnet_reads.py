# SPDX-License-Identifier: Apache-2.0
"""
mxnet_reads.py READER FILE: prints as JSON what MXNet reads of a RecordIO file, for
recordio_mxnet.py. It runs in an interpreter that has MXNet, and perhaps nothing else.
"""
import hashlib
import json
import sys

PARTS = (1, 3, 7)


def by_recordio(rec):
    """Returns (id, label, SHA-256) of all records, in order, and by the index."""
    import mxnet as mx
    reader, found = mx.recordio.MXRecordIO(rec, "r"), []
    while (item := reader.read()) is not None:
        header, data = mx.recordio.unpack(item)
        found.append([header.id, float(header.label), hashlib.sha256(data).hexdigest()])
    index = mx.recordio.MXIndexedRecordIO(rec[:-3] + "idx", rec, "r")
    by_index = []
    for key in reversed(index.keys):
        header, data = mx.recordio.unpack(index.read_idx(key))
        by_index.append([header.id, float(header.label), hashlib.sha256(data).hexdigest()])
    return [found, by_index[::-1]]


def labels_of(rec, parts, part, **options):
    import mxnet as mx
    size, found = 4, []
    for batch in mx.io.ImageRecordIter(path_imgrec=rec, data_shape=(3, 32, 32), resize=40,
                                       batch_size=size, num_parts=parts, part_index=part,
                                       preprocess_threads=1, round_batch=True, **options):
        found += [float(label) for label in batch.label[0].asnumpy()[:size - batch.pad]]
    return found


def by_iterators(rec):
    """Returns the labels that each number of parts has, without and with the index, and those of
    the list."""
    base, made = rec[:-3], []
    for parts in PARTS:
        for options in ({}, {"path_imgidx": base + "idx"}):
            made.append(sorted(label for part in range(parts)
                               for label in labels_of(rec, parts, part, **options)))
    made.append(labels_of(rec, 1, 0, path_imglist=base + "lst"))
    return made


READERS = {"recordio": by_recordio, "iterators": by_iterators}


if __name__ == "__main__":
    print(json.dumps(READERS[sys.argv[1]](sys.argv[2])))
