# SPDX-License-Identifier: Apache-2.0
"""
readers.py NAME MOUNT FIDELITY: reads a mount with a loader as its users do, and prints a line
"SPLIT LABEL SHA-256" for each picture. It runs in the loader's own environment. The hash is that of
the file's bytes; of its pixels if the name ends in "pixels".
"""
import glob
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile

SPLITS = ("train", "val")
PICTURES = (".jpg", ".png")


def shards(folder, split, ending):
    return sorted(glob.glob(f"{folder}/{split}-*.{ending}"))


def of_files(names, read):
    """Yields (label, picture) from the files of a tar, by the name before the first dot."""
    labels = {name[:-4]: int(read(name)) for name in names if name.endswith(".cls")}
    for name in names:
        if name.endswith(PICTURES) and name.count(".") == 1:
            yield labels.get(name[:-4], -1), read(name)


def by_tarfile(point, fidelity, split):
    for path in shards(f"{point}/tar/{fidelity}", split, "tar"):
        with tarfile.open(path) as tar:
            yield from of_files(tar.getnames(), lambda name, tar=tar: tar.extractfile(name).read())


def extracted(program, point, fidelity, split):
    for path in shards(f"{point}/tar/{fidelity}", split, "tar"):
        with tempfile.TemporaryDirectory(prefix="lodfs-tar-") as into:
            subprocess.run([program, "-xf", path, "-C", into], check=True)
            names = [os.path.relpath(os.path.join(folder, name), into)
                     for folder, _, files in os.walk(into) for name in files]
            yield from of_files(names, lambda name, into=into: read(os.path.join(into, name)))


def by_gnu_tar(*where):
    yield from extracted("tar", *where)


def by_bsdtar(*where):
    yield from extracted("bsdtar", *where)


def by_webdataset(point, fidelity, split):
    import webdataset
    last = len(shards(f"{point}/tar/{fidelity}", split, "tar")) - 1
    url = f"{point}/tar/{fidelity}/{split}-{{000000..{last:06d}}}.tar"
    dataset = webdataset.WebDataset(url, shardshuffle=False).to_tuple("jpg;png", "cls")
    yield from ((int(label), picture) for picture, label in dataset)


def by_webdataset_pixels(point, fidelity, split):
    import webdataset
    paths = shards(f"{point}/tar/{fidelity}", split, "tar")
    dataset = webdataset.WebDataset(paths, shardshuffle=False).decode("pil")
    for image, label in dataset.to_tuple("jpg;png", "cls"):
        yield label, image.convert("RGB").tobytes()


def by_tfrecord(point, fidelity, split):
    from tfrecord.reader import tfrecord_loader
    for path in shards(f"{point}/tfrecord/{fidelity}", split, "tfrecord"):
        for made in tfrecord_loader(path, path[:-len("tfrecord")] + "idx"):
            yield int(made["image/class/label"][0]), bytes(made["image/encoded"])


def by_tensorflow(point, fidelity, split):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    features = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
                "image/class/label": tf.io.FixedLenFeature([], tf.int64)}
    files = tf.io.gfile.glob(f"{point}/tfrecord/{fidelity}/{split}-*.tfrecord")
    for made in tf.data.TFRecordDataset(files).map(
            lambda record: tf.io.parse_single_example(record, features)):
        yield int(made["image/class/label"]), made["image/encoded"].numpy()


def by_torchvision(point, fidelity, split):
    from torchvision.datasets import ImageFolder
    for picture, label in ImageFolder(f"{point}/{fidelity}/{split}", loader=read):
        yield label, picture


def run_dali(reader, count):
    """Yields (label, picture) of one pass, from a function that makes the two nodes."""
    from nvidia.dali import pipeline_def
    pipe = pipeline_def(batch_size=1, num_threads=1, device_id=None)(reader)()
    pipe.build()
    for _ in range(count(pipe)):
        picture, label = pipe.run()
        yield label.at(0), picture.at(0).tobytes()


def by_dali_webdataset(point, fidelity, split):
    from nvidia.dali import fn
    paths = shards(f"{point}/tar/{fidelity}", split, "tar")
    for label, picture in run_dali(
            lambda: tuple(fn.readers.webdataset(paths=paths, ext=["jpg;png", "cls"], name="all",
                                                missing_component_behavior="error")),
            lambda pipe: pipe.epoch_size("all")):
        yield int(label.tobytes()), picture


def by_dali_tfrecord(point, fidelity, split):
    from nvidia.dali import fn, tfrecord, types
    paths = shards(f"{point}/tfrecord/{fidelity}", split, "tfrecord")
    features = {"image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
                "image/class/label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1)}

    def both():
        made = fn.readers.tfrecord(path=paths, features=features, name="all",
                                   index_path=[path[:-len("tfrecord")] + "idx" for path in paths])
        return made["image/encoded"], made["image/class/label"]

    for label, picture in run_dali(both, lambda pipe: pipe.epoch_size("all")):
        yield int(label[0]), picture


def by_dali_mxnet(point, fidelity, split):
    from nvidia.dali import fn
    name = f"{point}/recordio/{fidelity}/{split}"

    def both():
        return tuple(fn.readers.mxnet(path=f"{name}.rec", index_path=f"{name}.idx", name="all"))

    for label, picture in run_dali(both, lambda pipe: pipe.epoch_size("all")):
        yield int(label[0]), picture


def read(path):
    with open(path, "rb") as file:
        return file.read()


READERS = {name[len("by_"):]: reader for name, reader in list(globals().items())
           if name.startswith("by_")}


def main(name, point, fidelity):
    for split in SPLITS:
        for label, picture in READERS[name](point, fidelity, split):
            print(split, label, hashlib.sha256(picture).hexdigest())


if __name__ == "__main__":
    main(*sys.argv[1:])
