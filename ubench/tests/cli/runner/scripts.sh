# shellcheck shell=sh source=lib.sh
# The scripts find their files, whatever the user's shell has set.
. "$CLI/lib.sh"

mkdir -p tree/scripts tree/x/scripts other/scripts
cp "$CLI/../../../scripts/lib.sh" tree/scripts/
cat >tree/scripts/try.sh <<'END'
#!/bin/sh
set -eu
. "$(dirname "$0")/lib.sh"
"$@"
END
chmod +x tree/scripts/try.sh
cd tree || exit

# shellcheck disable=SC2016 # for the other shell
where='echo "${here#"$PWD/"} $LC_ALL $(cd x/scripts && pwd | sed "s,.*/tree,tree,")"'
LC_ALL=de_DE.UTF-8 CDPATH=$PWD/../other:$PWD/x here=/ scripts/try.sh eval "$where"

echo "== it is a time that is waited for, not a number of tries"
# shellcheck disable=SC2016
timeout 60 scripts/try.sh eval 'await_s=1; await sh -c "sleep 1; exit 1"'
echo "exit $?"
scripts/try.sh await true && echo "at once"
