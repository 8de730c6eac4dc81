# SPDX-License-Identifier: Apache-2.0
"""writers.py LOADER: containers that the loader's own writer makes are packed with --from. Each
picture comes out byte for byte, with its label. As for loaders.py, a large loader is tried by
./check --long only. With two folders as arguments, it reads pictures from the first and writes
containers into the second.
"""
import collections
import hashlib
import os
import subprocess
import sys

PICTURES = 12


def pictures(folder):
    """Returns (label, bytes) of the files of a folder, whose names are LABEL-NUMBER."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as file:
            found.append((int(name.partition("-")[0]), file.read()))
    return found


def by_webdataset(made, folder):
    import webdataset
    with webdataset.ShardWriter(f"{folder}/shard-%06d.tar", maxcount=5, verbose=0) as sink:
        for i, (label, data) in enumerate(made):
            sink.write({"__key__": f"all/{i:06d}", "jpg": data, "cls": label, "json": {"n": i}})


def by_tfrecord(made, folder):
    from tfrecord import TFRecordWriter
    writer = TFRecordWriter(f"{folder}/all.tfrecord")
    for label, data in made:
        writer.write({"image": (data, "byte"), "label": (label, "int"), "score": (.5, "float")})
    writer.close()


def by_tensorflow(made, folder):
    import tensorflow as tf

    def feature(*values):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values)) if isinstance(
            values[0], bytes) else tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    with tf.io.TFRecordWriter(f"{folder}/all.tfrecord") as writer:
        for i, (label, data) in enumerate(made):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "image/encoded": feature(data), "image/class/label": feature(label),
                "image/filename": feature(b"%d.jpg" % i), "boxes": feature(1, 2, 3),
            })).SerializeToString())


def by_mxnet(made, folder):
    import mxnet
    record = mxnet.recordio.MXIndexedRecordIO(f"{folder}/all.idx", f"{folder}/all.rec", "w")
    for i, (label, data) in enumerate(made):
        header = mxnet.recordio.IRHeader(0, float(label), i, 0)
        record.write_idx(i, mxnet.recordio.pack(header, data))
    record.close()


# loader: its writer; --from; packages of the index; whether it is large
WRITERS = {
    "webdataset": (by_webdataset, "tar", ["webdataset==1.0.2"], False),
    "tfrecord": (by_tfrecord, "tfrecord", ["tfrecord==1.14.6"], False),
    "tensorflow": (by_tensorflow, "tfrecord", ["tensorflow-cpu==2.21.0"], True),
    "mxnet": (by_mxnet, "recordio", ["mxnet==1.9.1", "numpy==1.23.5"], True),
}


def hashed(made):
    return collections.Counter((label, hashlib.sha256(data).hexdigest()) for label, data in made)


def unpacked(lodfs, store, out):
    """Yields (label, bytes) of the samples of a store."""
    lodfs("unpack", "-q", store, out)
    listed = lodfs("order", "--format=lst", store).stdout
    for _, label, path in (line.split(b"\t") for line in listed.splitlines()):
        with open(os.path.join(os.fsencode(out), path), "rb") as file:
            yield int(label), file.read()


def compare(lodfs, work, kind, source, made):
    options = ("-q", "--scans=default", f"--from={kind}")
    lodfs("pack", *options, f"{work}/containers", f"{work}/store")
    lodfs("verify", "-q", f"{work}/store")
    found = hashed(unpacked(lodfs, f"{work}/store", f"{work}/out"))
    if found != hashed(made):
        yield f"{found.total()} pictures, {len(made)} in {source}; or other labels"


def main(name):
    from environment import Missing, python_with
    from long import is_long
    from mounted import Results, Work, lodfs, skip
    from small import files_below
    _, kind, packages, large = WRITERS[name]
    if large and not is_long():
        skip(f"{name}: its packages are large, so ./check --long tries it")
    try:
        python = python_with(name, packages)
    except Missing as error:
        skip(str(error))
    results = Results()
    with Work() as work:
        source = f"{work}/pictures"
        subprocess.run([os.environ["PHOTOGRAPHS"], f"{work}/made", str(PICTURES), "8"], check=True,
                       stdout=subprocess.DEVNULL)
        os.mkdir(source)
        os.mkdir(f"{work}/containers")
        jpegs = [path for path in files_below(f"{work}/made") if path.endswith(b".jpg")]
        for i, path in enumerate(sorted(jpegs)):
            os.rename(os.path.join(os.fsencode(f"{work}/made"), path), f"{source}/{i % 5}-{i}")
        subprocess.run([python, __file__, name, source, f"{work}/containers"], check=True)
        results.add(f"containers of {name}",
                    compare(lodfs, work, kind, source, pictures(source)))
    return results.finish()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        WRITERS[sys.argv[1]][0](pictures(sys.argv[2]), sys.argv[3])
    else:
        sys.exit(main(sys.argv[1]))
