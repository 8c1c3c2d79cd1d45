/* SPDX-License-Identifier: ISC */
/*
 * What a record is told apart by: its properties as one list.  Records with
 * equal keys are a group; see group.h.
 */
#ifndef UBENCH_RECORD_KEY_H
#define UBENCH_RECORD_KEY_H

#include <stdbool.h>

#include "core/arena.h"
#include "record/record.h"

/* Where a property stands; bits. */
enum key_kind {
    KEY_STORE = 1,
    KEY_VERSION = 2,    /* of ubench */
    KEY_DURABILITY = 4, /* the settings that the class was computed from */
    KEY_PARAMETER = 8,
    KEY_REQUEST = 16, /* --sync, --set: the facts have what was read back */
    KEY_PRODUCT = 32, /* the store's first fact, with its version */
    KEY_FACT = 64,
    KEY_LABEL = 128,
    KEY_HOST = 256,
    /* What makes a configuration: all that bears on the figures. */
    KEY_CONFIGURATION = KEY_VERSION | KEY_DURABILITY | KEY_PARAMETER |
                        KEY_PRODUCT | KEY_FACT | KEY_HOST,
    /* What may have changed of one on another day. */
    KEY_HISTORY = KEY_VERSION | KEY_DURABILITY | KEY_PRODUCT | KEY_HOST,
};

struct key_item {
    enum key_kind kind;
    const char *name;
    const char *value;
};

/* In the order of the record: parameters, facts, labels, host; then what it
   has beside these. */
struct key {
    size_t count;
    const struct key_item *items;
};

/* Some items of a key, by kind and name. */
struct key_names {
    size_t count;
    size_t room;
    struct key_item *items;
};

/* The properties of some kinds.  Those that never say anything of a result
   (how it was printed, its place in a campaign, what else the machine was
   doing) are in no key; those that bear on no figure (the seed, files, users)
   only if all are wanted. */
struct key key_make(struct arena *memory, const struct record *record,
                    unsigned kinds, bool all);

/* The key without the parameters that say which work was done, and how much:
   what they were done with is left, so that records of one setup have the same
   key whatever their workload. */
struct key key_of_setup(struct arena *memory, const struct key *key);

/* The value, or NULL. */
const char *key_value(const struct key *key, enum key_kind kind,
                      const char *name);

/* Orders values: numbers by their size, all else as text. */
int key_compare_values(const char *a, const char *b);

/* Orders keys.  0: they are equal. */
int key_compare(const struct key *a, const struct key *b);

/* True if two keys have equal items of some kinds. */
bool key_alike(const struct key *a, const struct key *b, unsigned kinds);

/* Adds a name, unless it is there. */
void key_names_add(struct arena *memory, struct key_names *names,
                   enum key_kind kind, const char *name);

/* Adds the names of all items that a has and b has not, or otherwise; and
   those that only b has. */
void key_names_add_differences(struct arena *memory, struct key_names *names,
                               const struct key *a, const struct key *b);

/* Puts parameters of the load first, in an order of their own.  Returns how
   many there are. */
size_t key_names_put_load_first(struct key_names *names);

/*
 * Of names that say the same about some keys (two keys have both values in
 * common, or neither) keeps the first; the first of all, so many as stay says,
 * remain.  Returns for each key how much it has in common with the others by
 * these names, but for what KEY_HISTORY says.
 */
size_t *key_names_reduce(struct arena *memory, struct key_names *names,
                         size_t stay, const struct key *keys, size_t count);

/* "threads=4, engine=InnoDB": what a key has under these names; or "". */
const char *key_label(struct arena *memory, const struct key *key,
                      const struct key_names *names);

#endif
