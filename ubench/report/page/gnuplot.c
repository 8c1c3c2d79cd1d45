/* SPDX-License-Identifier: ISC */
#include "report/page/gnuplot.h"

#include <assert.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/html.h"

enum { FONT_SIZE = 12, COLOUR_SIZE = 16 };

extern char **environ;

static const struct {
    const char *colour;
    const char *variable;
} inks[INK_END] = {
    [INK_TEXT] = { "rgb '#010000'", "--text" },
    [INK_FAINT] = { "rgb '#020000'", "--faint" },
    [INK_GRID] = { "rgb '#030000'", "--grid" },
    [INK_BAND] = { "rgb '#040000'", "--band" },
    [INK_POWER_SAFE] = { "rgb '#050000'", "--power-safe" },
    [INK_BOUNDED] = { "rgb '#060000'", "--bounded" },
    [INK_PROCESS_SAFE] = { "rgb '#070000'", "--process-safe" },
    [INK_VOLATILE] = { "rgb '#080000'", "--volatile" },
    [INK_NONE] = { "rgb '#090000'", "--none" },
    [INK_PUBLISHED] = { "rgb '#0a0000'", "--published" },
};

struct gnuplot {
    FILE *script;
    size_t count; /* of charts that were begun */
    char *drawn;  /* what gnuplot printed */
    size_t length;
};

const char *gnuplot_ink_variable(enum ink ink)
{
    return inks[ink].variable;
}

const char *gnuplot_ink(enum ink ink)
{
    return inks[ink].colour;
}

struct gnuplot *gnuplot_new(struct err *err)
{
    struct gnuplot *const gnuplot = calloc(1, sizeof *gnuplot);

    if (gnuplot != NULL)
        gnuplot->script = tmpfile();
    if (gnuplot == NULL || gnuplot->script == NULL) {
        (void)err_set(err, "a temporary file for gnuplot: %s", strerror(errno));
        gnuplot_free(gnuplot);
        return NULL;
    }
    return gnuplot;
}

void gnuplot_free(struct gnuplot *gnuplot)
{
    if (gnuplot == NULL)
        return;
    if (gnuplot->script != NULL)
        (void)fclose(gnuplot->script);
    free(gnuplot->drawn);
    free(gnuplot);
}

FILE *gnuplot_begin(struct gnuplot *gnuplot, unsigned width, unsigned height)
{
    (void)fprintf(gnuplot->script,
                  "\nreset\nset terminal svg size %u,%u dynamic noenhanced "
                  "font 'sans,%d' butt\n",
                  width, height, FONT_SIZE);
    gnuplot->count++;
    return gnuplot->script;
}

size_t gnuplot_count(const struct gnuplot *gnuplot)
{
    return gnuplot->count;
}

void gnuplot_put_text(FILE *script, const char *text, size_t max)
{
    (void)fputc('\'', script);
    for (size_t shown = 0; *text != '\0' && shown < max; shown++) {
        const size_t length = html_utf8_length(text);
        const unsigned char c = (unsigned char)*text;

        if (length > 1)
            (void)fwrite(text, 1, length, script);
        else if (length == 1 && c >= ' ' && c < 0x7f &&
                 strchr("'\"`\\@$!", c) == NULL)
            (void)fputc(c, script);
        else
            (void)fputc(' ', script);
        text += length > 0 ? length : 1;
    }
    if (*text != '\0' && max > 0)
        (void)fputs("\xe2\x80\xa6", script);
    (void)fputc('\'', script);
}

/* Starts gnuplot with the script as its standard input, and waits. */
static int run(FILE *script, FILE *output, struct err *err)
{
    static char name[] = "gnuplot";
    static char defaults[] = "-d"; /* none of the user's own */
    char *const arguments[] = { name, defaults, NULL };
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;

    if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0)
        return err_set(err, "a temporary file for gnuplot: %s",
                       strerror(errno));
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
    (void)posix_spawn_file_actions_adddup2(&actions, fileno(output), 1);
    const int failed =
        posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return err_set(err, "gnuplot is not installed");
    if (failed != 0)
        return err_set(err, "gnuplot cannot be run: %s", strerror(failed));
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return err_set(err, "gnuplot: %s", strerror(errno));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(err, "gnuplot failed");
    return 0;
}

static int read_all(FILE *file, struct gnuplot *gnuplot, struct err *err)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return err_set(err, "what gnuplot drew: %s", strerror(errno));
    const long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        return err_set(err, "what gnuplot drew: %s", strerror(errno));
    gnuplot->drawn = malloc((size_t)size + 1);
    if (gnuplot->drawn == NULL)
        return err_set(err, "what gnuplot drew: %s", strerror(errno));
    gnuplot->length = fread(gnuplot->drawn, 1, (size_t)size, file);
    gnuplot->drawn[gnuplot->length] = '\0';
    return 0;
}

int gnuplot_draw(struct gnuplot *gnuplot, struct err *err)
{
    FILE *const output = tmpfile();

    if (output == NULL)
        return err_set(err, "a temporary file for gnuplot: %s",
                       strerror(errno));
    int status = run(gnuplot->script, output, err);
    if (read_all(output, gnuplot, err) < 0)
        status = -1;
    (void)fclose(output);
    return status;
}

/* From here on: gnuplot's SVG, made fit for the page. */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* If text is the colour that stands for an ink, "rgb(  5,   0,   0)", writes
   the variable and returns the colour's length; else 0. */
static size_t put_ink(const char *text, FILE *out)
{
    int red = 0;
    int length = 0;

    /* NOLINTNEXTLINE(cert-err34-c): gnuplot's own text */
    if (sscanf(text, "rgb( %d, 0, 0)%n", &red, &length) != 1 || length == 0 ||
        red <= 0 || red >= INK_END)
        return 0;
    (void)fprintf(out, "var(%s)", inks[red].variable);
    return (size_t)length;
}

/* What is left out or put otherwise, wherever it stands in a tag. */
static const struct {
    const char *from;
    const char *to;
} rewritten[] = {
    { "xlink:href", "href" },           { " font-family=\"sans\"", "" },
    { " color=\"black\"", "" },         { " color=\"white\"", "" },
    { " color=\"gray\"", "" },          { " stroke=\"currentColor\"", "" },
    { " stroke-linecap=\"butt\"", "" }, { " stroke-linejoin=\"miter\"", "" },
    { " class=\"gridline\"", "" },      { "'gp", "'chart-gp" },
    { "'#gp", "'#chart-gp" },
};

static size_t put_rewritten(const char *text, FILE *out)
{
    for (size_t i = 0; i < sizeof rewritten / sizeof rewritten[0]; i++) {
        if (begins(text, rewritten[i].from)) {
            (void)fputs(rewritten[i].to, out);
            return strlen(rewritten[i].from);
        }
    }
    return 0;
}

/* One line.  Only what stands within a tag is rewritten: labels are text. */
static void put_line(const char *line, size_t length, FILE *out)
{
    const char *const end = line + length;
    bool tag = false;

    for (const char *c = line; c < end;) {
        size_t done = 0;

        tag = *c == '<' || (tag && *c != '>');
        if (tag && *c == 'r')
            done = put_ink(c, out);
        if (tag && done == 0)
            done = put_rewritten(c, out);
        if (done == 0) {
            (void)fputc(*c, out);
            done = 1;
        }
        c += done;
    }
    (void)fputc('\n', out);
}

/* Writes the body of a picture, without groups that have nothing in them, the
   titles of plots, and the symbols if these are in the page already. */
static void put_body(const char *body, const char *end, bool symbols, FILE *out)
{
    const char *held = NULL; /* a group whose next line is not yet known */
    size_t held_length = 0;
    bool skip = false;

    for (const char *line = body; line < end;) {
        line += strspn(line, "\t");
        const size_t length = strcspn(line, "\n");

        skip = skip || (!symbols && begins(line, "<defs>"));
        if (held != NULL && !begins(line, "</g>"))
            put_line(held, held_length, out);
        if (begins(line, "<g id="))
            (void)fputs("<g>\n", out);
        else if (!skip && length > 0 && !begins(line, "<g fill=") &&
                 !(held != NULL && begins(line, "</g>")))
            put_line(line, length, out);
        held = begins(line, "<g fill=") ? line : NULL;
        held_length = length;
        skip = skip && !begins(line, "</defs>");
        line += length + 1;
    }
}

/* The picture's beginning, or NULL. */
static const char *find_picture(const struct gnuplot *gnuplot, size_t i)
{
    const char *at = gnuplot->drawn;

    if (at == NULL)
        return NULL;
    for (at = strstr(at, "<svg"); at != NULL && i > 0; i--)
        at = strstr(at + 1, "<svg");
    return at;
}

bool gnuplot_write_svg(const struct gnuplot *gnuplot, size_t i,
                       const char *label, FILE *out)
{
    const char *const svg = find_picture(gnuplot, i);
    const char *const end = svg != NULL ? strstr(svg, "</svg>") : NULL;
    const char *const body =
        svg != NULL ? strstr(svg, "<g id=\"gnuplot_canvas\">") : NULL;
    const char *const box = svg != NULL ? strstr(svg, "viewBox=\"") : NULL;

    if (end == NULL || body == NULL || box == NULL || body > end || box > body)
        return false;
    (void)fprintf(out, "<svg %.*s\" role=\"img\" aria-label=\"",
                  (int)strcspn(box + 9, "\"") + 9, box);
    html_text(out, label);
    (void)fputs("\">\n", out);
    put_body(body, end, i == 0, out);
    (void)fputs("</svg>\n", out);
    return true;
}
