/* SPDX-License-Identifier: ISC */
#include "report/grid.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void grid_init(struct grid *grid, const char *columns)
{
    assert(columns[0] != '\0' && strlen(columns) <= GRID_COLUMNS_MAX);
    *grid = (struct grid){ .columns = columns };
}

void grid_release(struct grid *grid)
{
    arena_release(&grid->memory);
    *grid = (struct grid){ 0 };
}

void grid_add(struct grid *grid, const char *format, ...)
{
    va_list arguments;

    if (grid->count == grid->room) {
        const size_t room = 2 * grid->room + 64;
        const char **const cells =
            arena_alloc(&grid->memory, room, sizeof *cells);
        if (grid->count > 0)
            memcpy(cells, grid->cells, grid->count * sizeof *cells);
        grid->cells = cells;
        grid->room = room;
    }
    va_start(arguments, format);
    grid->cells[grid->count++] = arena_vprint(&grid->memory, format, arguments);
    va_end(arguments);
}

/* How wide a text is on a terminal: of UTF-8, continuation bytes take no
   room. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int column_width(const struct grid *grid, size_t column)
{
    const size_t columns = strlen(grid->columns);
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

static void print_text(const struct grid *grid, FILE *out)
{
    const size_t columns = strlen(grid->columns);
    int widths[GRID_COLUMNS_MAX];

    for (size_t i = 0; i < columns; i++)
        widths[i] = column_width(grid, i);
    for (size_t i = 0; i < grid->count; i++) {
        const size_t column = i % columns;
        const bool right = grid->columns[column] == 'r';
        const bool last = column + 1 == columns;

        /* No blanks at the ends of lines. */
        if (column > 0 && !(last && grid->cells[i][0] == '\0'))
            (void)fputs("  ", out);
        print_padded(grid->cells[i], last && !right ? 0 : widths[column], right,
                     out);
        if (last)
            (void)fputc('\n', out);
    }
}

/* A bar would begin another cell. */
static void print_markdown_cell(const char *text, FILE *out)
{
    (void)fputc(' ', out);
    for (; *text != '\0'; text++) {
        if (*text == '|')
            (void)fputc('\\', out);
        (void)fputc(*text, out);
    }
    (void)fputs(" |", out);
}

static void print_markdown(const struct grid *grid, FILE *out)
{
    const size_t columns = strlen(grid->columns);

    for (size_t i = 0; i < grid->count; i++) {
        if (i % columns == 0)
            (void)fputc('|', out);
        print_markdown_cell(grid->cells[i], out);
        if ((i + 1) % columns == 0)
            (void)fputc('\n', out);
        if (i + 1 != columns)
            continue;
        (void)fputc('|', out);
        for (const char *side = grid->columns; *side != '\0'; side++)
            (void)fputs(*side == 'r' ? "---:|" : "---|", out);
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
    const size_t columns = strlen(grid->columns);

    for (size_t i = 0; i < grid->count; i++) {
        print_csv_cell(grid->cells[i], out);
        (void)fputc((i + 1) % columns == 0 ? '\n' : ',', out);
    }
}

void grid_print(const struct grid *grid, enum grid_format format, FILE *out)
{
    assert(grid->count % strlen(grid->columns) == 0);
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
    }
}
