# SPDX-License-Identifier: Apache-2.0
# Sourced by ./quickstart, ./check and packaging/build: the packages of Debian 12 that they need,
# and their installation.
BUILD_PACKAGES=(gcc libc6-dev meson ninja-build pkg-config libfuse3-dev fuse3 libjpeg62-turbo-dev
    libpng-dev zlib1g-dev libzstd-dev libxxhash-dev libcjson-dev libcurl4-openssl-dev
    libssl-dev opencl-headers)
TEST_PACKAGES=(ccache clang clang-format universal-ctags git libcriterion-dev
    libopenblas-dev liblz4-dev pocl-opencl-icd g++ cmake
    libjpeg-turbo-progs python3 python3-numpy python3-pil python3-pip
    python3-fsspec python3-prometheus-client
    python3-torch python3-torchvision python3-venv python3-xxhash
    nginx-light ceph-mon ceph-osd radosgw ceph-common
    libarchive-tools squashfs-tools squashfuse erofs-utils strace man-db zsh fish
    mmdebstrap busybox-static munge slurmctld slurmd slurm-client)

installed()
{
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# install_missing PACKAGE...: installs those that are missing; does nothing if none is.
install_missing()
{
    local missing=() package sudo=
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "this is not Debian 12: install what these packages hold: ${missing[*]}"
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "run this as root, or install sudo" && return 1; }
        sudo=sudo
    fi
    echo "installing ${missing[*]}"
    $sudo apt-get update -q &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
            "${missing[@]}" # env, because sudo drops variables
}
