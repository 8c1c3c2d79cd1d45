# SPDX-License-Identifier: ISC
"""Passwords in commands."""

import shlex

import pytest

from ubench.errors import UsageError
from ubench.run.passwords import find_password, refuse_passwords


@pytest.mark.parametrize(
    ("command", "sight"),
    [
        ("env UBENCH_PASSWORD=secret pgsql_ubench", "UBENCH_PASSWORD=..."),
        ("env PGPASSWORD=secret pgsql_ubench", "PGPASSWORD=..."),
        ("ssh db MYSQL_PWD=secret mysql_ubench", "MYSQL_PWD=..."),
        ("mysql_ubench --password=secret", "password=..."),
        ("mysql_ubench --password secret", "--password"),
        ("mysql_ubench --pas=secret", "--pas"),
        ("mysql_ubench -psecret", "-p"),
        ("mysql_ubench -p secret", "-p"),
        ("mysql_ubench -6psecret", "-p"),
        ("mysql_ubench -6p secret", "-p"),
        ("sshpass -psecret ssh db x", "-p"),
        ("pgsql_ubench -m postgres://u:secret@db/x", "a user with a password before an @"),
        ("x -o password=secret", "password=..."),
        ("ssh db 'MYSQL_PWD=secret mysql_ubench'", "MYSQL_PWD=..."),
        ("sh -c 'mysql_ubench -psecret'", "-p"),
        ("ssh db \"sh -c 'PGPASSWORD=secret pgsql_ubench'\"", "PGPASSWORD=..."),
        ("pgsql_ubench -m 'host=x password=secret'", "password=..."),
        ("x --set init_connect=x,password=y", "password=..."),
        # not passwords
        ("mysql_ubench -w renew -P 3306 -m db.example.org -o flush=1", None),
        ("mysql_ubench --default-authentication-plugin=mysql_native_password", None),
        ("mysqld --mysql-native-password=ON", None),
        ("mkdir -p folder", None),
        ("x --password=", None),
        ("ssh user@db mysql_ubench", None),
        ("duel --precision 1%", None),
        ("", None),
    ],
)
def test_find_password(command, sight):
    words = shlex.split(command)
    assert find_password(words) == sight
    if sight:
        with pytest.raises(UsageError, match="would be recorded") as refusal:
            refuse_passwords(words)
        assert "secret" not in str(refusal.value)


def test_options_of_a_client_itself():
    assert find_password(["-p", "secret"]) is None
    assert find_password(["-p", "secret"], is_client=True) == "-p"
