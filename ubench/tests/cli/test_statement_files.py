# SPDX-License-Identifier: ISC
"""Statements in files (--sql FILE): those of the store as a file change nothing, a wrong one ends
the run, and what a file creates is gone afterwards.  Servers: ubench/tests/faults/candidates.sh."""

import json
import sqlite3
import unittest
from pathlib import Path

from programs import Case, database, run

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "sql" / "expired-index.sql"
# The store's statements for these loads are printed and given back.
LOADS = [
    (), ("-c", "no"), ("-b", 7), ("-S", "kea", "--search-by", "hwaddr"), ("-6",),
    ("-6", "-c", "no", "-w", "renew", "--preload", 300), ("-w", "dora", "--hosts", 9, "-t", 2),
    ("-w", "reclaim", "-n", 3), ("-w", "purge", "-n", 3),
]
# As the printed statements, but each gives another answer.
WRONG = [
    ("find_by_address", "WHERE address = ?", "WHERE address >= ? ORDER BY address DESC LIMIT 1"),
    ("find_by_address", "WHERE address = ?", "WHERE address = ? AND state != 0"),
    ("update", "AND expire = ?", "AND expire > ?"),
    ("update", "hostname = ?", "hostname = lower(?) || 'x'"),
    ("remove", "expire = ?", "expire < ?"),
]
INDEX = "setup:\n CREATE INDEX ubench_i ON lease4 (state)\nteardown:\n DROP INDEX ubench_i\n"


class StatementFiles(Case):
    """Files for sqlite_ubench."""

    def setUp(self):
        super().setUp()
        self.need("sqlite_ubench")

    def sql(self, text):
        """A file."""
        path = self.folder / "given.sql"
        path.write_text(text)
        return path

    def printed(self, *options):
        """The statements of a load, as the runner prints them."""
        done = run("sqlite_ubench", "--print-sql", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def measured(self, *options):
        """The line of a run."""
        done = run("sqlite_ubench", "-s", "no", "--json", "-n", 200, *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def objects(self):
        """The names of all objects in the database."""
        connection = sqlite3.connect(self.folder / "sqlite.db")
        with connection:
            names = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
        connection.close()
        return [name for (name,) in names]

    def test_the_statements_of_the_store_as_a_file_change_nothing(self):
        for load in LOADS:
            with self.subTest(load):
                path = self.sql(self.printed(*load))
                own, given = self.measured(*load), self.measured(*load, "--sql", path)
                self.assertEqual(given["runs"][0]["digest"], own["runs"][0]["digest"])
                self.assertEqual(given["parameters"].pop("sql"), str(path))
                self.assertEqual(given["parameters"], own["parameters"])
                self.assertNotIn("sql", own)
                # A result has the whole file.
                again = self.measured(*load, "--sql", self.sql("\n".join(given["sql"])))
                self.assertEqual(again["sql"], given["sql"])

    def test_a_wrong_answer_ends_the_run(self):
        for name, right, wrong in WRONG:
            for compiled in ("yes", "no"):
                with self.subTest(f"{name}: {wrong} {compiled}"):
                    head, _, text = self.printed().partition(f"\n{name}:\n")
                    self.assertIn(right, text)
                    path = self.sql(f"{head}\n{name}:\n{text.replace(right, wrong, 1)}")
                    done = run("sqlite_ubench", "-s", "no", "-n", 200, "-c", compiled, "-v", "no",
                               "--sql", path, cwd=self.folder)
                    self.assertEqual((done.returncode, done.stdout), (3, ""), done)
                    self.assertIn("wrong answer", done.stderr)

    def test_an_error_of_the_run_names_the_line(self):
        text = self.printed()
        overflow = "abs(-9223372036854775807 - 1 + 0 * ?)"
        path = self.sql(text.replace("expire = ?", f"expire = {overflow}"))
        done = run("sqlite_ubench", "-s", "no", "-n", 9, "--sql", path, cwd=self.folder)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, rf"--sql: {path}:\d+: (update|remove): integer overflow")

    def test_what_a_file_creates_is_gone(self):
        expected = self.measured("-w", "steady")
        before = self.objects()
        line = self.measured("-w", "steady", "--sql", EXAMPLE)
        self.assertEqual(line["runs"][0]["digest"], expected["runs"][0]["digest"])
        self.assertEqual(line["sql"][0], "setup:")
        self.assertEqual(self.objects(), before)
        # It was there: the same statement needs it.
        lookup = self.printed().partition("\nfind_by_address:\n")[2].partition("\n\n")[0]
        lookup = f"find_by_address:\n{lookup.replace('FROM lease4', 'FROM ubench_view')}\n"
        view = ("setup:\n CREATE VIEW ubench_view AS SELECT * FROM lease4\n"
                "teardown:\n DROP VIEW ubench_view\n")
        self.measured("--sql", self.sql(lookup + view))
        done = run("sqlite_ubench", "-s", "no", "--sql", self.sql(lookup), cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such table: ubench_view", done.stderr)

    def test_what_a_teardown_leaves_is_named(self):
        more = INDEX + "setup:\n CREATE INDEX ubench_j ON lease4 (expire)\n"
        done = run("sqlite_ubench", "-s", "no", "--sql", self.sql(more), cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("teardown left index ubench_j", done.stderr)
        less = INDEX.replace("DROP INDEX ubench_i", "DROP TABLE ubench_marker")
        done = run("sqlite_ubench", "-s", "no", "--sql", self.sql(less), "-f", "b.db",
                   cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("teardown", done.stderr)

    def test_a_change_is_one_statement(self):
        self.measured()
        before = self.objects()
        for more in ("; DELETE FROM lease4", ";\n DROP TABLE ubench_marker", "; CREATE"):
            text = INDEX.replace("(state)", f"(state){more}")
            done = run("sqlite_ubench", "-s", "no", "--sql", self.sql(text), cwd=self.folder)
            self.assertEqual(done.returncode, 2, done)
            self.assertRegex(done.stderr, ":2: setup: expected one statement, not several")
            self.assertEqual(self.objects(), before)
        text = INDEX.replace("(state)", "(state) WHERE hostname != '; x' /* ; */")
        self.measured("--sql", self.sql(text))
        # The body of one statement may have more.
        self.measured("--sql", self.sql(
            "setup:\n CREATE TRIGGER ubench_t AFTER DELETE ON lease4\n BEGIN SELECT 1; SELECT 2; "
            "END;\nteardown:\n DROP TRIGGER ubench_t\n"))

    def test_a_failure_leaves_a_file_as_it_was(self):
        wrong = self.sql(INDEX + "remove:\n DELETE FROM lease9 WHERE address = ? AND expire = ?\n")
        done = run("sqlite_ubench", "-s", "no", "--sql", wrong, "-f", "new.db", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["given.sql"])

    def test_nothing_is_created_beside_tables_of_others(self):
        database(self.folder / "sqlite.db", "CREATE TABLE orders (id)",
                 "CREATE TABLE ubench_marker (schema TEXT, made_at TEXT, made_with TEXT)")
        done = run("sqlite_ubench", "-s", "no", "--sql", self.sql(INDEX), cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("orders", self.objects())
        self.assertNotIn("ubench_i", self.objects())


if __name__ == "__main__":
    unittest.main()
