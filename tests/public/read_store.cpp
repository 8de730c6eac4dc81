// SPDX-License-Identifier: Apache-2.0
// The public header as C++ sees it: lists a store and compares all its files with the source's.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lodfs.h"

static lodfs_store *store;
static std::string source;
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
                if (!same(path, fidelity, entries[i])) {
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
    look_at("", LODFS_ORIGINAL);
    lodfs_store_close(store);
    std::printf("%u files compared, %u differ\n", files, failures);
    return failures != 0 || files == 0;
}
