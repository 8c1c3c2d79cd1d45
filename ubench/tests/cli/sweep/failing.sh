# shellcheck shell=sh source=lib-sweep.sh
# A cell that cannot be run at all, one that fails at times, a wrong answer.
. "$CLI/lib-sweep.sh"
cat >bin/moody_ubench <<'END'
#!/bin/sh
case "$*" in
*--help*) ;;
*--threads=8*) echo "moody_ubench: eight are no number of mine" >&2; exit 2 ;;
*--threads=4*) echo "moody_ubench: four are too many" >&2; exit 1 ;;
*block=2*--threads=2*)
    if [ ! -e ../../calm ]; then
        echo "moody_ubench: not now" >&2
        exit "$(cat ../../how)"
    fi
    ;;
esac
exec "$(dirname "$0")/null_ubench" "$@"
END
chmod +x bin/moody_ubench
echo 1 >how
again() {
    sweep --store moody -t 1,2,4 -r 3 --reference none --campaign mine --order-seed 3 |
        sed 's/: about .*/: about TIME/'
    runs sweep.jsonl
}
again
echo 3 >how
again
: >calm
again
echo "== what a store refuses when it is opened is left out"
sweep --store moody -t 1,8 -r 1 --reference none --dry-run -O other.jsonl |
    sed -n '1,/moody_ubench:/p'
