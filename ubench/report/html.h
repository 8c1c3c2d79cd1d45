/* SPDX-License-Identifier: ISC */
/*
 * Foreign text into HTML.  Results come from anywhere, so whatever they say is
 * text: nothing of it can close a tag, an attribute or a script.
 */
#ifndef UBENCH_REPORT_HTML_H
#define UBENCH_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

/* Characters of a text that are shown; what is longer ends with "…". */
enum { HTML_TEXT_MAX = 400 };

/*
 * Writes text for an element's content or a quoted attribute.  Control
 * characters become a blank; bytes that are not UTF-8 become U+FFFD, and so do
 * the marks that turn the direction of writing around.
 */
void html_text(FILE *out, const char *text);

/* The same, of at most max characters. */
void html_text_cut(FILE *out, const char *text, size_t max);

#endif
