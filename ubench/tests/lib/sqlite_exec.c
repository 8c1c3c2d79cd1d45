/* SPDX-License-Identifier: ISC */
/*
 * sqlite_exec FILE SQL [hold]: runs SQL on a database as somebody else would,
 * and prints the rows.  With "hold" it then says "holding" and keeps the
 * database open, with its locks, until its standard input ends.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static int print_row(void *unused, int count, char **values, char **names)
{
    (void)unused;
    (void)names;
    for (int i = 0; i < count; i++)
        (void)printf("%s%s", i > 0 ? "|" : "", values[i] != NULL ? values[i] : "NULL");
    (void)putchar('\n');
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    int status = EXIT_SUCCESS;

    if (argc < 3) {
        (void)fprintf(stderr, "usage: sqlite_exec FILE SQL [hold]\n");
        return 2;
    }
    if (sqlite3_open(argv[1], &db) != SQLITE_OK ||
        sqlite3_exec(db, argv[2], print_row, NULL, NULL) != SQLITE_OK) {
        (void)fprintf(stderr, "sqlite_exec: %s: %s\n", argv[1], sqlite3_errmsg(db));
        status = EXIT_FAILURE;
    } else if (argc > 3) {
        (void)puts("holding");
        (void)fflush(stdout);
        while (getchar() != EOF)
            ;
    }
    (void)sqlite3_close(db);
    return status;
}
