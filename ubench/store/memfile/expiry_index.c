/* SPDX-License-Identifier: ISC */
#include "store/memfile/expiry_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BITS = 12,
    PAGE_SECONDS = 1 << PAGE_BITS,
    POINTER = sizeof(void *),
};

struct expiry_page {
    int64_t number; /* time >> PAGE_BITS */
    uint32_t count; /* records in it */
    uint32_t heads[PAGE_SECONDS];
};

void expiry_index_init(struct expiry_index *index, const struct slab *slab)
{
    *index = (struct expiry_index){ .slab = slab };
}

void expiry_index_release(struct expiry_index *index)
{
    for (size_t i = 0; i < index->page_count; i++)
        free(index->pages[i]);
    free(index->pages);
    expiry_index_init(index, index->slab);
}

static struct expiry_links *links(const struct expiry_index *index,
                                  uint32_t ref)
{
    return slab_at(index->slab, ref);
}

/* Negative times fall into pages of their own: the shift rounds down. */
static int64_t page_number(int64_t time_s)
{
    return time_s >> PAGE_BITS;
}

static size_t second_in_page(int64_t time_s)
{
    return (size_t)(time_s & (PAGE_SECONDS - 1));
}

/* The position of the first page that is not before number. */
static size_t find_position(const struct expiry_index *index, int64_t number)
{
    size_t low = 0;
    size_t high = index->page_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (index->pages[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct expiry_page *find_page(struct expiry_index *index, int64_t number)
{
    if (index->last != NULL && index->last->number == number)
        return index->last;
    const size_t at = find_position(index, number);
    if (at == index->page_count || index->pages[at]->number != number)
        return NULL;
    index->last = index->pages[at];
    return index->last;
}

static struct expiry_page *add_page(struct expiry_index *index, int64_t number)
{
    const size_t at = find_position(index, number);

    if (index->page_count == index->page_room) {
        const size_t room = index->page_room > 0 ? 2 * index->page_room : 16;
        struct expiry_page **const pages =
            realloc(index->pages, room * POINTER);

        if (pages == NULL)
            return NULL;
        index->pages = pages;
        index->page_room = room;
    }
    struct expiry_page *const page = calloc(1, sizeof *page);
    if (page == NULL)
        return NULL;
    page->number = number;
    memmove(index->pages + at + 1, index->pages + at,
            (index->page_count - at) * POINTER);
    index->pages[at] = page;
    index->page_count++;
    index->last = page;
    return page;
}

static void drop_page(struct expiry_index *index, struct expiry_page *page)
{
    const size_t at = find_position(index, page->number);

    index->page_count--;
    memmove(index->pages + at, index->pages + at + 1,
            (index->page_count - at) * POINTER);
    if (index->last == page)
        index->last = NULL;
    free(page);
}

int expiry_index_add(struct expiry_index *index, int64_t time_s, uint32_t ref)
{
    struct expiry_page *page = find_page(index, page_number(time_s));

    if (page == NULL)
        page = add_page(index, page_number(time_s));
    if (page == NULL)
        return -1;
    uint32_t *const head = &page->heads[second_in_page(time_s)];
    *links(index, ref) = (struct expiry_links){ .next = *head };
    if (*head != SLAB_NONE)
        links(index, *head)->previous = ref;
    *head = ref;
    page->count++;
    return 0;
}

void expiry_index_remove(struct expiry_index *index, int64_t time_s,
                         uint32_t ref)
{
    struct expiry_page *const page = find_page(index, page_number(time_s));
    const struct expiry_links *const own = links(index, ref);

    assert(page != NULL);
    if (own->previous != SLAB_NONE)
        links(index, own->previous)->next = own->next;
    else
        page->heads[second_in_page(time_s)] = own->next;
    if (own->next != SLAB_NONE)
        links(index, own->next)->previous = own->previous;
    if (--page->count == 0)
        drop_page(index, page);
}

/* The first record at or after a second of a page or of those behind it. */
static uint32_t scan(const struct expiry_index *index, size_t page,
                     size_t second, int64_t *time_s)
{
    for (; page < index->page_count; page++, second = 0) {
        const struct expiry_page *const p = index->pages[page];

        for (; second < PAGE_SECONDS; second++) {
            if (p->heads[second] != SLAB_NONE) {
                *time_s = p->number * PAGE_SECONDS + (int64_t)second;
                return p->heads[second];
            }
        }
    }
    return SLAB_NONE;
}

uint32_t expiry_index_first(const struct expiry_index *index, int64_t *time_s)
{
    return scan(index, 0, 0, time_s);
}

uint32_t expiry_index_next(const struct expiry_index *index, int64_t *time_s,
                           uint32_t ref)
{
    const uint32_t next = links(index, ref)->next;

    if (next != SLAB_NONE)
        return next;
    return scan(index, find_position(index, page_number(*time_s)),
                second_in_page(*time_s) + 1, time_s);
}
