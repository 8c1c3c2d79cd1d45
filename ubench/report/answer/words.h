/* SPDX-License-Identifier: ISC */
/* An answer in words: sentences that need no word of this project's, and what
   the figures of its table stand for. */
#ifndef UBENCH_REPORT_ANSWER_WORDS_H
#define UBENCH_REPORT_ANSWER_WORDS_H

#include "report/answer/answer.h"

/* "0.463", "1,560", "81,700,000": three significant digits; more would be a
   promise. */
const char *words_figure(struct arena *memory, double value);

/* "pgsql, power-safe": a row, told apart from those of other classes. */
const char *words_row(struct arena *memory, const struct answer *answer,
                      const struct answer_row *row);

/* The answer in a few sentences, a paragraph. */
const char *words_answer(struct arena *memory, const struct answer *answer);

/* "memfile > sqlite > mysql = pgsql": > is more than chance; or "". */
const char *words_order(struct arena *memory, const struct answer_class *of);

/* What a figure or a mark of the table stands for. */
struct words_note {
    const char *label; /* "times need" */
    const char *text;
};

/* Fills in the notes, in their order; returns how many there are. */
enum { WORDS_NOTES_MAX = 9 };
size_t words_notes(struct arena *memory, const struct answer *answer,
                   struct words_note notes[static WORDS_NOTES_MAX]);

#endif
