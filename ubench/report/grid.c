/* SPDX-License-Identifier: ISC */
#include "report/grid.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/fold.h"
#include "report/html.h"

/* Of what is foreign, in HTML. */
enum { HEAD_LENGTH = 40, CELL_LENGTH = 200 };

/* Of text: of a line without a terminal, at least, of a label, and of a first
   column at least, and where not all others have room beside that. */
enum {
    WIDTH = 80,
    WIDTH_MIN = 40,
    LABEL_WIDTH = 12,
    FIRST_MIN = 8,
    FIRST_OF_SLICE = 24,
};

/* How many columns a line has. */
static int line_width(FILE *out)
{
    struct winsize size;

    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0)
        return WIDTH;
    return size.ws_col > WIDTH_MIN ? size.ws_col : WIDTH_MIN;
}

void grid_init(struct grid *grid, const char *sides, const char *const *heads)
{
    *grid = (struct grid){ .absent = "n/a" };
    for (size_t i = 0; sides[i] != '\0'; i++)
        (void)grid_column(grid, sides[i], heads[i]);
}

void grid_release(struct grid *grid)
{
    arena_release(&grid->memory);
    *grid = (struct grid){ 0 };
}

static void add(struct grid *grid, const char *text)
{
    grid->cells = arena_grow(&grid->memory, grid->cells, grid->count,
                             &grid->room, sizeof *grid->cells);
    grid->cells[grid->count++] = text;
}

bool grid_column(struct grid *grid, char side, const char *head)
{
    assert(grid->count == grid->columns);
    if (grid->columns == GRID_COLUMNS_MAX)
        return false;
    grid->sides[grid->columns++] = side;
    add(grid, arena_text(&grid->memory, head));
    return true;
}

void grid_add(struct grid *grid, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(grid, arena_vprint(&grid->memory, format, arguments));
    va_end(arguments);
}

void grid_add_if(struct grid *grid, bool known, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(grid,
        known ? arena_vprint(&grid->memory, format, arguments) : grid->absent);
    va_end(arguments);
}

bool grid_is_empty(const struct grid *grid)
{
    return grid->count == grid->columns;
}

static int width_of(const char *text)
{
    return fold_width(text, strlen(text));
}

static int column_width(const struct grid *grid, size_t column)
{
    const size_t columns = grid->columns;
    int widest = 0;

    for (size_t i = column; i < grid->count; i += columns) {
        const int width = width_of(grid->cells[i]);
        if (width > widest)
            widest = width;
    }
    return widest;
}

static void print_padded(const char *text, int width, bool right, FILE *out)
{
    const int blanks = width > width_of(text) ? width - width_of(text) : 0;

    (void)fprintf(out, "%*s%s%*s", right ? blanks : 0, "", text,
                  right ? 0 : blanks, "");
}

/* The columns of a table that stand side by side: the first, and those from
   one to before another. */
struct slice {
    int widths[GRID_COLUMNS_MAX]; /* of all columns */
    size_t from, to;
};

/* A row of a slice.  A first cell that is wider than its column has a line of
   its own, unless it is the same as in the row above. */
static void print_row(const struct grid *grid, const struct slice *slice,
                      size_t row, FILE *out)
{
    const char *const *const cells = &grid->cells[row * grid->columns];
    const char *const above =
        row > 0 ? grid->cells[(row - 1) * grid->columns] : "";
    const bool is_alone = width_of(cells[0]) > slice->widths[0];

    if (is_alone && strcmp(cells[0], above) != 0)
        (void)fprintf(out, "%s\n", cells[0]);
    for (size_t i = 0; i < slice->to; i = i == 0 ? slice->from : i + 1) {
        const bool right = grid->sides[i] == 'r';
        const bool last = i + 1 == slice->to;

        /* No blanks at the ends of lines. */
        if (i > 0 && !(last && cells[i][0] == '\0'))
            (void)fputs("  ", out);
        print_padded(i == 0 && is_alone ? "" : cells[i],
                     last && !right ? 0 : slice->widths[i], right, out);
    }
    (void)fputc('\n', out);
}

/* Makes the slice from a column on that has room in a line. */
static void cut_slice(struct slice *slice, size_t columns, size_t from,
                      int width)
{
    int left = width - slice->widths[0];

    slice->from = from;
    slice->to = from;
    while (slice->to < columns) {
        left -= 2 + slice->widths[slice->to];
        if (left < 0 && slice->to > from)
            break;
        slice->to++;
    }
}

static void print_text(const struct grid *grid, FILE *out)
{
    const size_t columns = grid->columns;
    const int width = line_width(out);
    struct slice slice;
    int others = 0;

    for (size_t i = 0; i < columns; i++) {
        slice.widths[i] = column_width(grid, i);
        others += i > 0 ? 2 + slice.widths[i] : 0;
    }
    const int room =
        width - others < FIRST_MIN ? FIRST_OF_SLICE : width - others;
    if (slice.widths[0] > room)
        slice.widths[0] = room;
    slice.to = 1;
    do {
        if (slice.to > 1)
            (void)fputc('\n', out);
        cut_slice(&slice, columns, slice.to, width);
        for (size_t i = 0; i < grid->count / columns; i++)
            print_row(grid, &slice, i, out);
    } while (slice.to < columns);
}

/* Neither an element of HTML nor a link nor a column of its own. */
static void put_markdown(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        const char next = text[1];

        if (*text == '<' && next != ' ')
            (void)fputs("&lt;", out);
        else if (*text == '|' || *text == '`' ||
                 (*text == ']' && (next == '(' || next == '[' || next == ':')))
            (void)fprintf(out, "\\%c", *text);
        else
            (void)fputc(*text, out);
    }
}

/* A line of text or Markdown, after what begins it. */
static void put_line(enum grid_format format, const char *begin,
                     const char *text, const char *end, FILE *out)
{
    if (format == GRID_MARKDOWN) {
        (void)fputs(begin, out);
        put_markdown(text, out);
    } else {
        fold_put(&(struct fold){ out, line_width(out), 0, 0 }, text);
    }
    (void)fputs(end, out);
}

static void print_markdown(const struct grid *grid, FILE *out)
{
    const size_t columns = grid->columns;

    for (size_t i = 0; i < grid->count; i++) {
        if (i % columns == 0)
            (void)fputc('|', out);
        put_line(GRID_MARKDOWN, " ", grid->cells[i], " |", out);
        if ((i + 1) % columns == 0)
            (void)fputc('\n', out);
        if (i + 1 != columns)
            continue;
        (void)fputc('|', out);
        for (size_t k = 0; k < columns; k++)
            (void)fputs(grid->sides[k] == 'r' ? "---:|" : "---|", out);
        (void)fputc('\n', out);
    }
}

static void print_csv_cell(const char *text, FILE *out)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void print_csv(const struct grid *grid, FILE *out)
{
    const size_t columns = grid->columns;

    for (size_t i = 0; i < grid->count; i++) {
        print_csv_cell(grid->cells[i], out);
        (void)fputc((i + 1) % columns == 0 ? '\n' : ',', out);
    }
}

/* A cell whose head is not "" says, on a narrow screen, what it is. */
static void print_html_cell(const struct grid *grid, size_t i, FILE *out)
{
    const bool first = i % grid->columns == 0;

    (void)fputs(first ? "<th scope=\"row\">" : "<td data-name=\"", out);
    if (!first) {
        html_text_cut(out, grid->cells[i % grid->columns], HEAD_LENGTH);
        (void)fputs("\">", out);
    }
    html_text_cut(out, grid->cells[i], CELL_LENGTH);
    (void)fputs(first ? "</th>" : "</td>", out);
}

static void print_html(const struct grid *grid, FILE *out)
{
    (void)fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"",
                out);
    html_text(out, grid->cells[0]);
    (void)fputs("\">\n<table class=\"rates\">\n<thead><tr>", out);
    for (size_t i = 0; i < grid->columns; i++) {
        (void)fputs("<th scope=\"col\">", out);
        html_text_cut(out, grid->cells[i], HEAD_LENGTH);
        (void)fputs("</th>", out);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = grid->columns; i < grid->count; i++) {
        (void)fputs(i % grid->columns == 0 ? "<tr>" : "", out);
        print_html_cell(grid, i, out);
        (void)fputs((i + 1) % grid->columns == 0 ? "</tr>\n" : "", out);
    }
    (void)fputs("</tbody></table></div>\n", out);
}

void grid_print(const struct grid *grid, enum grid_format format, FILE *out)
{
    assert(grid->count % grid->columns == 0);
    switch (format) {
    case GRID_TEXT:
        print_text(grid, out);
        break;
    case GRID_MARKDOWN:
        print_markdown(grid, out);
        break;
    case GRID_CSV:
        print_csv(grid, out);
        break;
    case GRID_HTML:
        print_html(grid, out);
        break;
    }
}

void grid_print_heading(enum grid_format format, FILE *out, const char *text)
{
    if (format != GRID_HTML) {
        put_line(format, "### ", text, "\n\n", out);
        return;
    }
    (void)fputs("<h3>", out);
    html_text(out, text);
    (void)fputs("</h3>\n", out);
}

/* A paragraph of a class, or a line after what begins it. */
static void print_line(enum grid_format format, FILE *out, const char *class,
                       const char *begin, const char *text)
{
    if (format != GRID_HTML) {
        put_line(format, begin, text, "\n", out);
        return;
    }
    (void)fprintf(out, "<p class=\"%s\">", class);
    html_text(out, text);
    (void)fputs("</p>\n", out);
}

void grid_print_item(enum grid_format format, FILE *out, const char *text)
{
    print_line(format, out, "note", "- ", text);
}

void grid_print_warning(enum grid_format format, FILE *out, const char *text)
{
    print_line(format, out, "warning", "- ", text);
}

void grid_print_note(enum grid_format format, FILE *out, const char *text)
{
    print_line(format, out, "note", "", text);
}

void grid_print_labelled(enum grid_format format, FILE *out, const char *label,
                         const char *text)
{
    struct arena memory = { 0 };

    if (format == GRID_TEXT) {
        (void)fprintf(out, "%-*s  ", LABEL_WIDTH, label);
        fold_put(&(struct fold){ out, line_width(out), LABEL_WIDTH + 2,
                                 LABEL_WIDTH + 2 },
                 text);
        (void)fputc('\n', out);
    } else {
        grid_print_item(format, out,
                        arena_print(&memory, "%s: %s", label, text));
    }
    arena_release(&memory);
}
