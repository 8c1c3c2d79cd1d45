/* SPDX-License-Identifier: ISC */
#include "store/memfile/address_index.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PREFIXES = 1 << 24 };

#define DIRECTORY_BYTES (PREFIXES * sizeof(uint32_t))
#define PAGES_BYTES \
    ((PREFIXES + UINT64_C(1)) * ADDRESS_PAGE_SIZE * sizeof(uint32_t))

static void *reserve(size_t size)
{
    void *const memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

int address_index_init(struct address_index *index)
{
    *index = (struct address_index){
        .directory = reserve(DIRECTORY_BYTES),
        .pages = reserve(PAGES_BYTES),
        .page_count = 1,
    };
    if (index->directory != NULL && index->pages != NULL) {
        (void)madvise(index->pages, PAGES_BYTES, MADV_HUGEPAGE);
        return 0;
    }
    address_index_release(index);
    return -1;
}

void address_index_release(struct address_index *index)
{
    if (index->directory != NULL)
        (void)munmap(index->directory, DIRECTORY_BYTES);
    if (index->pages != NULL)
        (void)munmap(index->pages, PAGES_BYTES);
    *index = (struct address_index){ 0 };
}

void address_index_clear(struct address_index *index)
{
    /* Zeroes, as they were reserved: the system takes the memory back. */
    (void)madvise(index->directory, DIRECTORY_BYTES, MADV_DONTNEED);
    (void)madvise(index->pages, PAGES_BYTES, MADV_DONTNEED);
    index->page_count = 1;
}

void address_index_set(struct address_index *index, uint32_t address,
                       uint32_t ref)
{
    uint32_t *const page = &index->directory[address >> 8];

    if (*page == 0 && ref == 0)
        return;
    if (*page == 0)
        *page = index->page_count++;
    index->pages[*page][address & 255] = ref;
}
