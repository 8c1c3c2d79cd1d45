# shellcheck shell=sh source=lib.sh
# Where one part fails, all end, and there is no result.
. "$CLI/lib.sh"
agents=$CLI/../../../scripts/agents.sh
export TMPDIR="$SCRATCH" BIN

# fails ARGUMENT...
fails() {
    echo "\$ agents.sh $*" | sed "s|$BIN/||"
    "$agents" "$@" 2>&1 | sed "s|$SCRATCH/ubench-agents.[A-Za-z0-9]*|FOLDER|g"
    "$agents" "$@" >/dev/null 2>&1
    echo "exit $?"
}
fails
fails local,local
fails local,local --
fails local -- true
fails local,,local -- true
fails 'local,-oProxyCommand=x' -- true
fails -x local,local -- true
fails -O
echo "notes" >notes.txt
fails -O notes.txt local,local -- true
fails local,local -- "$BIN/null_ubench" -n 0
fails local,local -- "$BIN/null_ubench" -n 10
fails local,local -- ./missing

cat >fake-ssh <<'END'
#!/bin/sh
echo "ssh: connect to host $1 port 22: Connection refused" >&2
exit 255
END
cat >wrong <<'END'
#!/bin/sh
echo "wrong: wrong answer" >&2
exit 3
END
chmod +x fake-ssh wrong
AGENT_SSH="$PWD/fake-ssh"
export AGENT_SSH
fails local,east -- "$BIN/null_ubench" -t 2 -n 100M -w renew
fails local,local -- ./wrong
fails local,local -- true
echo "left: $(find "$SCRATCH" -name 'ubench-agents*' | sed 's/.*\.//' | wc -l)"
