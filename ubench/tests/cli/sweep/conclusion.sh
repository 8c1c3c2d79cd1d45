# shellcheck shell=sh source=lib-sweep.sh
# A sweep ends with what its own axes suggest: of one store with one thing varied the
# comparison along that, else the answer.  Figures are not looked at.
. "$CLI/lib-sweep.sh"
ln -s "$runners/ubench_report" bin

# last OPTION...: what it says after the runs.
last() {
    sweep -n 50 -r 2 --reference none -O out.jsonl --store memfile "$@" |
        sed '1,/ failed$/d' | grep -E '^(verdict .*against|For |class|  \./|exit)' |
        sed 's/For.*/For .../; s/  *class.*//; s/   *store .*/ .../'
    rm -r out.jsonl*
}
last -s no -t 1,2,4
last -s no,volatile -w renew
last -s no
