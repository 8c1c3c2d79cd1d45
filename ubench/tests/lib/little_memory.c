// SPDX-License-Identifier: ISC
// Memory ends: preloaded, of all requests from the program itself (not from its
// libraries) the first $UBENCH_ALLOCATIONS are granted, and none after them.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for dl_iterate_phdr
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own names
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
// NOLINTEND(bugprone-reserved-identifier)

static uintptr_t program_begin;
static uintptr_t program_end;
static atomic_long left;

/* The program itself comes first. */
static int note_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    program_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD)
            program_end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *const allocations = getenv("UBENCH_ALLOCATIONS");

    atomic_store(&left, allocations == NULL ? 0 : atol(allocations));
    (void)dl_iterate_phdr(note_program, NULL);
}

static bool is_refused(const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;

    if (from < program_begin || from >= program_end || atomic_fetch_sub(&left, 1) > 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
