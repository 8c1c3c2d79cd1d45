/* SPDX-License-Identifier: ISC */
/* Reads and writes numbers as people write them, by the same rules in both
   directions. */
#ifndef UBENCH_CORE_UNITS_H
#define UBENCH_CORE_UNITS_H

#include <stdint.h>

enum { UNITS_TEXT_SIZE = 32 }; /* enough for every text written here */

/* A text buffer that lives until the end of the enclosing block.  Each use is a separate
   buffer, even within one call. */
#define UNITS_TEXT ((char[UNITS_TEXT_SIZE]){ 0 })

/*
 * Reads a whole number that may end in k or K, M or G (decimal: 100k is
 * 100000), or have an exponent (1e3).  Returns 0, or -1 with errno: ERANGE if
 * it exceeds 64 bits, EINVAL for any other text.
 */
int units_scan_count(const char *text, uint64_t *count);

/* Reads a finite decimal number.  Returns 0, or -1 for any other text. */
int units_scan_real(const char *text, double *value);

/* Reads a number above 0 that may end in k, M or G: 0.5, 1.5k.  Returns 0, or
   -1 for any other text. */
int units_scan_rate(const char *text, double *rate);

/*
 * Reads a time: a number of at least 0 and a unit, one of ns, us, ms, s, m and
 * h (500ms, 2s, 1.5h); 0 needs no unit.  Returns 0, or -1 for any other text
 * and for 2^52 ns (52 days) and more.
 */
int units_scan_duration(const char *text, uint64_t *ns);

/* Writes a time exactly, as units_scan_duration reads it, in the greatest unit
   of which it is a whole number: "90s", "2m".  Returns text. */
char *units_duration(char text[static UNITS_TEXT_SIZE], uint64_t ns);

/* Writes 1234567 as "1,234,567" and returns text. */
char *units_count(char text[static UNITS_TEXT_SIZE], uint64_t count);

/* Writes a value of at least 0 with four significant digits, or with three
   decimals below 1: "547,400", "46.16", "0.432".  Returns text. */
char *units_figure(char text[static UNITS_TEXT_SIZE], double value);

/* Writes a time with three digits and its unit, "214 us", and returns text. */
char *units_time(char text[static UNITS_TEXT_SIZE], double time_ns);

#endif
