/* SPDX-License-Identifier: ISC */
/*
 * The tables of the result formats: each member of a line, where it lies in
 * struct record and what it means.  The writer, the reader with its complaints,
 * the schemas in results/ and the tables of results/README.md come from them; a
 * new figure is one row.
 *
 * A member may have no value.  Which value of the struct stands for that is
 * said by its kind; whether such a member is written as null or left out, by
 * its flags.  A member that is not there reads as without a value.
 */
#ifndef UBENCH_RECORD_FIELDS_H
#define UBENCH_RECORD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_CONSTANT,   /* always the text in pattern; nothing in the struct */
    FIELD_TEXT,       /* const char *; "" is no value */
    FIELD_FLAG,       /* bool */
    FIELD_COUNT,      /* uint64_t, a whole number; RECORD_UNKNOWN is no value */
    FIELD_REAL,       /* double, from 0 on; 0 is no value */
    FIELD_FIGURE,     /* double, from 0 on; NAN is no value */
    FIELD_CLASS,      /* enum durability, and a bool: whether it is known */
    FIELD_PROPERTIES, /* struct record_properties: an object of texts */
    FIELD_OBJECT,     /* a struct; without a first member it is no value */
    FIELD_POINTER,    /* a pointer to one; NULL is no value */
    FIELD_PART,       /* the same, but its members lie in the object around it,
                         and are there if the one with this row's name is */
    FIELD_LIST,       /* a pointer to structs, and how many; NULL is no value */
    FIELD_TUPLE,      /* a struct of numbers, as an array */
    FIELD_TUPLES,     /* a list of these */
};

enum field_flag {
    FIELD_NEEDED = 1,   /* the reader complains if it has no value */
    FIELD_NULL = 2,     /* written as null if it has none */
    FIELD_OUT = 4,      /* left out if it has none */
    FIELD_FILLED = 8,   /* a list with something in it, always */
    FIELD_ABOVE_0 = 16, /* a count for which 0 is no value */
    FIELD_SETTING = 32, /* of a server: runs in which it is the same, and all
                           others like it, are of one configuration */
    /* Where parts of a run are put together, counts and numbers are added; but
       of these the first part's is kept, or the highest taken. */
    FIELD_KEPT = 64,
    FIELD_MOST = 128,
    /* A flag of parts that were put together is set if it is in one of them;
       but this only if it is in all. */
    FIELD_ALL = 256,
};

struct field_table;

struct field {
    enum field_kind kind;
    unsigned flags; /* enum field_flag, or-ed */
    size_t offset;  /* of the value, and ... */
    size_t second;  /* ... of the number of items, or of the class's bool */
    const char *name;
    const struct field_table *table; /* of what it holds */
    /* What a complaint calls the place within: "storm", or "run" for "run 2".
       NULL: as outside; in a list, after the item's first member, its name.  Of
       tuples: the shape, "[low, count]". */
    const char *place;
    const char
        *pattern;     /* of a text or of the names of properties; NULL: any */
    const char *help; /* Markdown */
};

/* What counts of a table must be to each other; where one has no value, nothing
   is said. */
struct field_rule {
    const char *whole;    /* the name of a count, which is */
    bool exact;           /* the sum of the parts, or else no less */
    const char *parts[6]; /* names; NULL closes */
};

/* What contradicts itself in an item. */
struct field_fault {
    const char *place; /* the name of what is meant, or NULL */
    char text[160];    /* "": nothing does */
};

struct field_table {
    const char *name; /* of the object: "phase" */
    const struct field *rows;
    size_t count;
    size_t size; /* of the struct */
    /* NULL, or called when an item was read: sets what follows from the other
       members, and finds what cannot be. */
    void (*finish)(void *item, struct field_fault *fault);
    const struct field_rule *rules; /* NULL, or the last has no whole */
};

/* What a field points to in an item, and how many there are (count may be
   NULL); NULL: none. */
const char *field_items(const struct field *field, const char *item,
                        size_t *count);

extern const struct field_table record_fields;
extern const char record_format[]; /* "ubench-result/1" */

/* Of a run of a whole DHCP server: struct record, and of it struct
   record_server. */
extern const struct field_table server_fields;
extern const struct field_table server_run_fields;
extern const char server_format[]; /* "ubench-kea/1" */

#endif
