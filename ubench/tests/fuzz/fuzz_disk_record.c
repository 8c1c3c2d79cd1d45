/* SPDX-License-Identifier: ISC */
/* Records of what was done to a folder.  The first byte is the seed. */
#include <stdlib.h>

#include "load/crash/disk_rebuild.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const folder = fuzz_folder();
    struct err err = { 0 };

    if (size == 0)
        return 0;
    if (disk_rebuild_file(folder, fuzz_file(data + 1, size - 1), 10, data[0],
                          &err) != 0 &&
        err.text[0] == '\0')
        abort();
    fuzz_empty(folder);
    return 0;
}
