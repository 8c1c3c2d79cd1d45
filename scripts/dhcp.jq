# SPDX-License-Identifier: ISC
# What dhcp.sh works out: configurations of servers, what perfdhcp printed, the next
# rate to try, and the text of a result.

# ---- Configurations

def hex16: . as $n | [3, 2, 1, 0]
    | map(($n / pow(16; .) | floor) % 16 | "0123456789abcdef"[.:. + 1]) | add;

# The n-th address that clients may get.
def address($n):
    if .family == 6 then
        (65536 + $n) | "2001:db8:1::\(. / 65536 | floor | hex16):\(. % 65536 | hex16)"
    else
        (167837696 + $n) # 10.1.0.0
        | [. / 16777216, . / 65536 % 256, . / 256 % 256, . % 256]
        | map(floor | tostring) | join(".")
    end;

def pool: "\(address(0)) - \(address(.pool - 1))";

def kea_store:
    if .store == "memfile" then
        {type: "memfile", name: "\(.folder)/leases.csv", persist: (.sync != "volatile")}
    else
        .database + {host: "127.0.0.1", name: "kea"}
    end;

def kea:
    . as $c
    | (if .family == 6 then ["Dhcp6", "option[1].hex"] else ["Dhcp4", "pkt4.mac"] end)
    | . as [$root, $class_of] | $c
    | {($root): ({
        "interfaces-config": ({interfaces: ["dhcp0"]}
            + if .family == 4 then {"dhcp-socket-type": "raw"} else {} end),
        "lease-database": kea_store,
        "valid-lifetime": 86400,
        "multi-threading": (if .threads == 1 then {"enable-multi-threading": false}
            else {"enable-multi-threading": true, "thread-pool-size": .threads,
                  "packet-queue-size": .queue} end),
        loggers: [{name: "kea-dhcp\(.family)", severity: "WARN",
            output_options: [{output: "\(.folder)/server.log"}]}]
      } + if .classes == 0 then {} else {
        "client-classes": [range(.classes) | {name: "class\(.)",
            test: "substring(\($class_of),\(. % 6),1) == 0x\(hex16[2:])"}]
      } end + if .family == 6 then {
        "data-directory": .folder, "preferred-lifetime": 43200,
        "subnet6": [{id: 1, subnet: "2001:db8:1::/64", interface: "dhcp0",
            pools: [{pool: pool}]}]
      } else {
        "subnet4": [{id: 1, subnet: "10.0.0.0/8", pools: [{pool: pool}]}]
      } end)};

def dhcpd:
    "authoritative;
default-lease-time 86400;
max-lease-time 86400;
ddns-update-style none;
ping-check false;
\(if .delayed_ack > 0 then "delayed-ack \(.delayed_ack);\n" else "" end)subnet 10.0.0.0 netmask 255.0.0.0 {
    range \(pool | sub(" - "; " "));
}
";

# ---- What perfdhcp printed

def number_after($name): [splits("\n") | select(startswith($name))
    | .[($name | length):] | scan("-?[0-9.]+") | tonumber][0];

def exchange: {
    sent: number_after("sent packets: "),
    received: number_after("received packets: "),
    min_ms: number_after("min delay: "),
    mean_ms: number_after("avg delay: "),
    max_ms: number_after("max delay: "),
    sd_ms: number_after("std deviation: ")};

def delta($name): ($after[0][$name] - $before[0][$name]) * 100 | round / 100;

# Seconds of processors that server, database, load and all else have used.
def processor:
    {server: delta("server"), store: delta("store"), load: delta("load")}
    | .other = ([0, delta("all") - .server - .store - .load] | max);

# A trial: the clients that asked in the time of sending, and those of them that
# were granted a lease in time.
def trial:
    [splits("\\*\\*\\*Statistics for: ")] as $parts
    | {offered: $rate, discover: ($parts[1] | exchange), request: ($parts[2] | exchange)}
    | .sent = .discover.sent
    | .granted = .request.received
    | .lost = (if .sent > 0 then 1 - .granted / .sent else 1 end)
    | .kept_up = (.sent + 1 >= 0.98 * $rate * $run[0].seconds)
    | .holds = (.lost <= $run[0].max_lost)
    | .processor_s = processor
    | .elapsed_s = ($after[0].at - $before[0].at) | .cores = $after[0].cores;

def trial_text:
    "  \(.offered) a second: \(.sent) asked, \(.granted) granted, \(
        .lost * 1000 | round / 10) % lost\(
        if .kept_up then "" else "; perfdhcp fell behind" end)";

# Second by second: the sums that perfdhcp prints with -C are those of discovers and
# requests that were sent, and of their answers.
def series:
    {seconds_each: ([[splits("\n") | select(test("^[0-9]+(,[0-9]+){7}$"))
        | split(",") | map(tonumber)]
        | foreach .[] as $row ([0, 0]; $row; .)] | .[0:$run[0].seconds]
        | [[0, 0, 0, 0]] + map(.[:4]) | [range(1; length) as $i
            | {asked: (.[$i][0] - .[$i - 1][0]), granted: (.[$i][3] - .[$i - 1][3])}]),
     trial: trial};

# All clients at once: the time until each has a lease.
def storm:
    . as $text
    | trial | del(.offered, .kept_up, .holds)
    | .resent = ($text | number_after("Requests resent: "))
    | .duration_s = ($text | capture("It took (?<h>\\d+):(?<m>\\d+):(?<s>[0-9.]+)")
        | (.h | tonumber) * 3600 + (.m | tonumber) * 60 + (.s | tonumber))
    | {trial: .};

# The search: doubles the rate until too much is lost in two trials, then halves the
# distance to the highest that held, until it is less than a twentieth of it.  A
# rate for which the load was too slow did not hold.
def holds: .holds and .kept_up;

def next_rate($from):
    ([.[] | select(holds) | .offered] | max) as $low
    | (group_by(.offered) | map(select(any(.[]; holds) | not))) as $failed
    | ([$failed[] | select(length > 1) | .[0].offered] | min) as $high
    | ([$failed[] | select(length == 1) | .[0].offered][0]) as $again
    | if $again != null then $again
      elif $low == null and $high == null then $from
      elif $low == null then (if $high > 2 then $high / 2 else null end)
      elif $high == null then $low * 2
      elif $high / $low < 1.05 then null
      else ($low * $high | sqrt) end
    | if . == null then null else ([1, round] | max) end;

# The trial that the search ends with.
def highest: map(select(holds)) | max_by(.offered);

def search_result:
    highest as $best
    | {rate: (if $best then $best.granted / $run[0].seconds else null end), trials: .,
       limited_by_load: ($best != null and any(.[]; .holds and (.kept_up | not)))};

# Lines of FILE that are runs of configuration $run.
def runs_like($run): map(select(.format == "ubench-kea/1"
    and (. as $line | all($run | keys[]; $line[.] == $run[.]))));

# ---- Runs of one configuration: from three on without the highest and the lowest

def kept: sort | if length > 2 then .[1:-1] else . end;
def mean: add / length;

def three: if . == null then "n/a" else . as $x
    | (if $x >= 1000 then ($x | log10 | floor - 2) as $d
        | ($x / pow(10; $d) | round) * pow(10; $d) | round
       elif $x >= 100 then round
       elif $x >= 10 then $x * 10 | round / 10
       else $x * 100 | round / 100 end)
    | tostring
    | if test("^[0-9]{4,}$") then
        [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",")
      else . end end;

def durability_line:
    "\((.durability.class + "            ")[:13])\(.durability.from)";

def title:
    (if .server == "kea" then "kea-dhcp\(.family)" else .server end)
    + " \(.server_version), \(if .store == "memfile" or .store == "dhcpd"
        then "its lease file" else .store_name end), "
    + (if .threads == 1 then "1 thread" else "\(.threads) threads, queue of \(.queue)" end)
    + (if .delayed_ack > 0 then ", delayed-ack \(.delayed_ack)" else "" end)
    + (if .classes > 0 then ", \(.classes) client classes" else "" end),
    durability_line;

def has_database: .store == "mysql" or .store == "pgsql";

# Microseconds of processors for each lease that was granted, over trials.
def processor_us($name): (map(.processor_s[$name]) | add) * 1e6 / (map(.granted) | add);

def processor_text($trials):
    "processor    for each lease: server \($trials | processor_us("server") | three) us"
    + (if has_database
       then ", database \($trials | processor_us("store") | three) us" else "" end)
    + ", perfdhcp \($trials | processor_us("load") | three) us",
    "             server \(if has_database then "and database " else "" end)on processor \(
        .processors.server), perfdhcp on \(.processors.load)",
    (($trials | map(.processor_s.other) | add)
        / ($trials | map(.elapsed_s * .cores) | add) | . * 100 | round
     | if . > 5 then "WARNING      other work used \(.) % of the processors" else empty end);

def rate_text:
    .[0] as $c
    | map(.rate | select(. != null)) as $rates
    | map(.trials | highest | select(. != null)) as $best
    | ($c | title),
      if ($rates | length) == 0 then "no rate held: the trials are in the file"
      else
        "rate         \($rates | kept | mean | three) leases per second with at most \(
            $c.max_lost * 1000 | round / 10) % lost in \($c.within_s) s",
        (if ($rates | length) > 1 then "             \($rates | length) runs: \(
            $rates | min | three) to \($rates | max | three)\(
            if ($rates | length) > 2 then "; mean without the lowest and the highest"
            else "" end)" else empty end),
        (length - ($rates | length) | if . > 0 then
            "WARNING      in \(.) more runs no rate held; they are not in the mean"
         else empty end),
        ($c | processor_text($best))
      end,
      if any(.[]; .limited_by_load) then
        "WARNING      perfdhcp could not send faster; the server may take more"
      else empty end;

def seconds_text:
    .[] | title,
    "load         \(.start_rate) clients a second: \(.trial.sent) asked, \(
        .trial.granted) granted, \(.trial.lost * 1000 | round / 10) % lost",
    "             of a second: \([.seconds_each[].granted] | min) to \(
        [.seconds_each[].granted] | max) granted",
    "second       granted of asked",
    (.seconds_each | to_entries[]
        | "\("     \(.key + 1)"[-6:])       \(.value.granted) of \(.value.asked)"),
    processor_text([.trial]);

def storm_text:
    .[0] as $c | map(.trial) as $trials
    | ($c | title),
      "storm        \($c.clients) clients at once: all had a lease after \(
        $trials | map(.duration_s) | kept | mean | three) s",
      "             \($trials | map(.resent) | mean | three) requests were sent again",
      ($c | processor_text($trials));
