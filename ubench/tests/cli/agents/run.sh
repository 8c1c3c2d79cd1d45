# shellcheck shell=sh source=lib.sh
# One run from two hosts, of which one is reached by a stand-in for ssh.
. "$CLI/lib.sh"
command -v jq >/dev/null || skip "jq is missing"
agents=$CLI/../../../scripts/agents.sh
export TMPDIR="$SCRATCH" AGENT_SSH="$PWD/fake-ssh -x"

cat >fake-ssh <<'END'
#!/bin/sh
echo "$1 $2: $(echo "$3" | sed "s/'[^ ]*null_ubench'/null_ubench/")" >>ssh.log
exec sh -c "$3"
END
chmod +x fake-ssh

# An hour to answer, so that no machine is too slow.
"$agents" -O all.jsonl local,east -- "$BIN/null_ubench" -t 2 -w renew --rate 50 \
    --duration 5s --deadline 1h --preload 100 --label "what=it's 1" || exit
cat ssh.log
jq -c '.parameters.threads, .parameters.part, .labels, .parts[].host,
    .runs[0].trials[0].rate_per_s, .runs[0].trials[0].failed' all.jsonl
"$BIN/ubench_report" tables all.jsonl | grep -c "^null"
echo "in the folder of the parts: $(find "$SCRATCH" -name 'ubench-agents*')"
