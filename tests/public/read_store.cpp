// SPDX-License-Identifier: Apache-2.0
// The public header as C++ sees it: lists a store and compares all its files with the source's.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "api/lodfs.h"
#include "api/lodfs_order.h"

static lodfs_store *store;
static std::string source, location;
static unsigned files, failures;

static bool same(const std::string &path, int fidelity, const lodfs_entry &entry)
{
    std::ifstream file(source + "/" + path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<char> into(entry.bytes + 1);
    lodfs_error error;
    size_t count = 0;

    if (lodfs_read(store, path.c_str(), fidelity, 0, into.data(), into.size(), &count, &error)) {
        std::printf("%s: %s\n", path.c_str(), error.message);
        return false;
    }
    bool equal = count == entry.bytes && count == bytes.size() &&
                 std::memcmp(into.data(), bytes.data(), count) == 0;
    // A range in the middle, and one past the end.
    if (equal && count > 100) {
        equal = lodfs_read(store, path.c_str(), fidelity, count / 3, into.data(), 77, &count,
                           &error) == 0 &&
                count == (77 < entry.bytes - entry.bytes / 3 ? 77 : entry.bytes - entry.bytes / 3) &&
                std::memcmp(into.data(), bytes.data() + entry.bytes / 3, count) == 0;
    }
    return equal && lodfs_read(store, path.c_str(), fidelity, entry.bytes, into.data(), 1, &count,
                               &error) == 0 && count == 0;
}

// An open file has the same bytes, also when its store was closed before it.
static bool same_file(const std::string &path, int fidelity)
{
    lodfs_store *own = nullptr;
    lodfs_file *file = nullptr;
    lodfs_error error;
    size_t count = 0;

    if (lodfs_store_open(location.c_str(), 1 << 20, &own, &error) ||
        lodfs_file_open(own, path.c_str(), fidelity, &file, &error)) {
        std::printf("%s: %s\n", path.c_str(), error.message);
        lodfs_store_close(own);
        return false;
    }
    lodfs_store_close(own);
    std::vector<char> whole(lodfs_file_bytes(file) + 1), into(whole.size());
    lodfs_read(store, path.c_str(), fidelity, 0, whole.data(), whole.size(), &count, &error);
    bool equal = count + 1 == whole.size();
    // In odd pieces, and past the end.
    for (size_t at = 0; equal && at < whole.size(); at += 70001) {
        equal = lodfs_file_read(file, at, into.data() + at,
                                into.size() - at < 70001 ? into.size() - at : 70001, &count,
                                &error) == 0;
    }
    equal = equal && into == whole;
    equal = equal && lodfs_file_read(file, 1 << 30, into.data(), 1, &count, &error) == 0 &&
            count == 0;
    lodfs_file_close(file);
    return equal;
}

// The text of a link in exactly its memory, and in a byte less.
static bool link_is(const char *path, const char *text)
{
    std::vector<char> into(std::strlen(text) + 1);
    lodfs_error error;

    return lodfs_link(store, path, into.data(), into.size(), &error) == 0 &&
           std::strcmp(into.data(), text) == 0 &&
           lodfs_link(store, path, into.data(), into.size() - 1, &error) == -ERANGE &&
           std::strstr(error.message, "too small") != nullptr &&
           lodfs_link(store, path, into.data(), 0, &error) == -ERANGE;
}

// Errors that opening a file gives.
static bool no_files()
{
    lodfs_file *file = nullptr;
    lodfs_error error;

    lodfs_file_close(nullptr);
    return lodfs_file_open(store, "none", LODFS_FULL, &file, &error) == -ENOENT &&
           lodfs_file_open(store, "sub", LODFS_FULL, &file, &error) == -EISDIR &&
           lodfs_file_open(store, "link", LODFS_FULL, &file, &error) == -EINVAL &&
           std::strstr(error.message, "symbolic link") != nullptr &&
           lodfs_file_open(store, "plain.npy", 99, &file, &error) == -EINVAL && file == nullptr &&
           std::strstr(error.message, "no such fidelity") != nullptr &&
           lodfs_file_open(store, "plain.npy", 99, &file, nullptr) == -EINVAL;
}

// Numbers of no item, and memory that is too small, are no damage.
static bool no_items()
{
    lodfs_error error;
    uint64_t bytes = 0;
    uint32_t item = 0;
    int32_t label = 0;
    char path[4096];
    const auto none = [&](int result) {
        return result == -ENOENT && std::strstr(error.message, "there is no item") != nullptr;
    };

    return lodfs_items_of(store, "plain.npy", 1, &item, &error) == 0 &&
           lodfs_item_path(store, item, path, sizeof(path), &error) == 0 &&
           lodfs_item_path(store, item, path, 1, &error) == -ERANGE &&
           std::strstr(error.message, "too small") != nullptr &&
           none(lodfs_item_path(store, 1u << 20, path, sizeof(path), &error)) &&
           none(lodfs_item_label(store, UINT32_MAX, &label, &error)) &&
           none(lodfs_item_bytes(store, 1u << 20, LODFS_FULL, &bytes, &error)) &&
           lodfs_item_bytes(store, item, 99, &bytes, &error) == -EINVAL &&
           std::strstr(error.message, "no such fidelity") != nullptr;
}

static void look_at(const std::string &folder, int fidelity)
{
    lodfs_entry entries[3];
    lodfs_error error;
    uint64_t cursor = 0;
    size_t count = 0;

    do {
        if (lodfs_list(store, folder.c_str(), fidelity, &cursor, entries, 3, &count, &error)) {
            std::printf("%s\n", error.message);
            failures++;
            return;
        }
        for (size_t i = 0; i < count; i++) {
            const std::string path = (folder.empty() ? "" : folder + "/") + entries[i].name;
            if (entries[i].kind == LODFS_FOLDER) {
                look_at(path, fidelity);
            } else if (entries[i].kind == LODFS_FILE) {
                files++;
                if (!same(path, fidelity, entries[i]) || !same_file(path, fidelity)) {
                    std::printf("%s differs\n", path.c_str());
                    failures++;
                }
            }
        }
    } while (count);
}

int main(int argc, char **argv)
{
    lodfs_error error;

    if (argc != 3 || lodfs_store_open(argv[2], 1 << 20, &store, &error)) {
        std::printf("%s\n", argc == 3 ? error.message : "read_store SOURCE STORE");
        return 1;
    }
    source = argv[1];
    location = argv[2];
    look_at("", LODFS_ORIGINAL);
    failures += !link_is("link", "plain.npy") + !no_files() + !no_items();
    lodfs_store_close(store);
    std::printf("%u files compared, %u differ\n", files, failures);
    return failures != 0 || files == 0;
}
