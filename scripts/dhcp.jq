# SPDX-License-Identifier: ISC
# What dhcp.sh works out: its options and the configurations that they stand for, those
# of servers, what perfdhcp printed, the next rate to try, and the text of a result.

# ---- The command line

def misuse: "dhcp.sh: \(.)\n" | halt_error(2);

# Names of an option, what its value is (words, or one of the kinds below), and what it
# is if it is not given.  All but texts take lists.
def options: [
    ["--server", null, "kea dhcpd", "kea"],
    ["--family", null, "4 6", "4"],
    ["--store", null, "memfile mysql pgsql", ""],
    ["--sync", "-s", "yes no volatile", ""],
    ["--threads", "-t", "positive", "1"],
    ["--queue", null, "positive", "64"],
    ["--delayed-ack", null, "whole", "0"],
    ["--pool", null, "positive", ""],
    ["--full", null, "whole", "0"],
    ["--classes", null, "whole", "0"],
    ["--subnets", null, "positive", "1"],
    ["--reservations", null, "whole", "0"],
    ["--hosts", null, "config mysql pgsql", "config"],
    ["--hook", null, "none block park cache", "none"],
    ["--hook-ms", null, "positive", "80"],
    ["--ha", null, "none hot-standby load-balancing", "none"],
    ["--ha-delay", null, "positive", "10"],
    ["--kill", null, "whole", "0"],
    ["--lost", null, "number", "2.5"],
    ["--within", null, "number", "2"],
    ["--rate", null, "positive", ""],
    ["--seconds", null, "positive", ""],
    ["--clients", null, "positive", "10000"],
    ["--runs", "-r", "positive", ""],
    ["--server-cpus", null, "text", ""],
    ["--load-cpus", null, "text", ""],
    ["--output", "-O", "text", $output]];

# Commands that are others with certain options, each a line.
def sets($quick): (if $quick then [1, "1,4", "4", 30] else [3, "1,2,4,8", "4,6", 60] end)
    | . as [$runs, $threads, $families, $seconds] | {
    hook: ["seconds --hook block,park -t 1,2,4,8 --rate 200 --seconds 10",
           "storm --hook block,park,cache --clients 200"],
    ha: ["rate --ha none,hot-standby,load-balancing -t 4",
         "seconds --ha hot-standby,load-balancing -t 4 --rate 200 --kill 15"],
    reservations: ["rate --subnets 829 --reservations 0,14404 --hosts config,mysql,pgsql"],
    pool: ["seconds --pool 20000 --full 0,50,90,99,100 --rate 50 --seconds 4"],
    classes: ["rate --classes 0,16,64,256"],
    threads: ["rate -t 1,2,4,8 --queue 28,64,792"],
    campaign: [
          (4, 6 | "rate --family \(.) --store memfile,mysql,pgsql -t \($threads)"),
          "rate --store memfile --sync volatile -t 1,4",
          "rate --store mysql,pgsql --sync no -t 1,4",
          "rate --family \($families) --ha hot-standby,load-balancing -t 4",
          "seconds --family \($families) --ha hot-standby,load-balancing -t 4 --rate 200 --kill 8"
        | if startswith("rate") then "\(.) --runs \($runs) --seconds 2"
          else "\(.) --seconds \($seconds)" end]};

def option_of($name): first(options[] | select(.[0] == $name or .[1] == $name))
    // ("'\($name)' is no option; --help lists them" | misuse);

def value($name; $kind):
    def number($pattern; $what):
        if test($pattern) then tonumber else "\($name): '\(.)' is not \($what)" | misuse end;
    if $kind == "number" then number("^([0-9]+\\.?[0-9]*|\\.[0-9]+)$"; "a number")
    elif $kind == "whole" then number("^(0|[1-9][0-9]*)$"; "a whole number")
    elif $kind == "positive" then value($name; "whole")
        | if . > 0 then . else "\($name): '\(.)' is not above 0" | misuse end
    elif . as $word | $kind | split(" ") | any(.[]; . == $word) then .
    else "\($name): '\(.)' is not one of \($kind)" | misuse end;

def values($name):
    option_of($name) as [$long, $letter, $kind]
    | {($long): (if $kind == "text" then [.]
        else if . == "" then [.] else split(",") end | map(value($name; $kind)) end)};

# A list of words, as what it asks for: {command, quick, given}.
def parse:
    reduce .[] as $word ({given: {}};
        .option as $option
        | if $option then .given += ($word | values($option)) | .option = null
          elif $word == "-6" or $word == "--ipv6" then .given["--family"] = ["6"]
          elif $word == "--quick" then .quick = true
          elif $word | test("^-.*=") then
              .given += ($word | capture("^(?<name>[^=]*)=(?<value>.*)$")
                  | .name as $name | .value | values($name))
          elif $word | startswith("-") then option_of($word) as $known | .option = $word
          elif .command then
              "'\($word)' after '\(.command)': one command" | misuse
          else .command = $word end)
    | if .option then "\(.option) needs a value; --help lists the options" | misuse
      else . end;

def combinations_of_lists: . as $lists | reduce keys_unsorted[] as $key ([{}];
    [.[] as $one | $lists[$key][] | . as $value | $one + {($key): $value}]);

# What is left open in a configuration, and what does not go together.
def default($name; $value): if .[$name] == "" then .[$name] = $value else . end;
def refuse($when; $text): if $when then $text | misuse else . end;

def complete($command; $quick):
    .command = $command | .family |= tonumber
    | refuse(.server == "dhcpd" and .family == 6;
        "--server dhcpd: only IPv4 is measured")
    | refuse(.server == "dhcpd" and .store != "";
        "--store \(.store): dhcpd has its lease file alone")
    | refuse(.server == "dhcpd" and .threads != 1;
        "--threads \(.threads): dhcpd has one")
    | refuse(.server == "dhcpd" and ([.ha, .hook] != ["none", "none"]
            or .reservations + .full + .subnets != 1);
        "--server dhcpd: --ha, --hook, --full, --subnets, --reservations are Kea's")
    | default("store"; if .server == "dhcpd" then "dhcpd" else "memfile" end)
    | default("sync"; if .store == "memfile" then "no" else "yes" end)
    | refuse(.store == "memfile" and .sync == "yes";
        "--sync yes: Kea never syncs the file of memfile; leave memfile out")
    | refuse(.store == "dhcpd" and .sync != "yes";
        "--sync \(.sync): dhcpd always syncs its file")
    | refuse(.store != "memfile" and .sync == "volatile";
        "--sync volatile: of memfile alone")
    | default("pool"; if .server == "dhcpd" then 20000
        elif .subnets > 1 then .subnets * 4000 else 4000000 end)
    | (if .subnets == 1 then 8000000 else .subnets * 50000 end) as $most
    | refuse(.pool > $most; "--pool: \(.pool) is more than \($most)")
    | refuse(.classes > 256; "--classes: \(.classes) is more than 256")
    | refuse(.subnets > 4000; "--subnets: \(.subnets) is more than 4000")
    | refuse(.pool < 2 * .subnets; "--pool: \(.pool) is less than two for a subnet")
    | (if .subnets == 1 then 60000 else .subnets * 14000 end) as $most
    | refuse(.reservations > $most; "--reservations: \(.reservations) is more than \($most)")
    | refuse(.full > 100; "--full: \(.full) is more than 100")
    | refuse(.full > 0 and (.family == 6 or .subnets > 1 or .ha != "none"
            or .sync == "volatile");
        "--full: only with IPv4, one subnet, one server and leases that are kept")
    | refuse(.hook == "cache" and $command != "storm";
        "--hook cache: storm alone, in which clients ask again")
    | refuse(.kill > 0 and ($command != "seconds" or .ha == "none");
        "--kill: seconds alone, with --ha")
    | refuse(.ha != "none" and .sync == "volatile";
        "--ha: with leases that are kept")
    | refuse($command == "seconds" and .rate == ""; "seconds: --rate is missing")
    | default("rate"; {rate: 500, storm: 0}[$command])
    | default("seconds"; {rate: (if $quick then 2 else 4 end), seconds: 60,
        storm: 0}[$command])
    | refuse(.kill > 0 and .kill >= .seconds;
        "--kill: \(.kill) is not before the end, --seconds \(.seconds)")
    | default("runs"; if $command == "rate" and ($quick | not) then 9 else 1 end)
    # What makes no difference is always the same.
    | if .threads == 1 then .queue = 64 else . end
    | if .reservations == 0 then .hosts = "none" else . end
    | if .hook == "none" then .hook_ms = 80 else . end
    | if .ha == "none" then .ha_delay = 10 else . end
    | .max_lost = .lost / 100 | .within_s = .within | .start_rate = .rate
    | .ha_delay_s = .ha_delay | .kill_s = .kill
    | del(.lost, .within, .rate, .ha_delay, .kill);

def configurations_of($quick):
    .command as $command
    | (options | map({(.[0]): (if .[2] == "positive" or .[2] == "whole"
            or .[2] == "number" then [.[3] | tonumber? // .] else [.[3]] end)}) | add)
        + .given
    | with_entries(.key |= (ltrimstr("--") | gsub("-"; "_")))
    | combinations_of_lists[] | complete($command; $quick);

# The words of a command line, as the configurations of servers to measure, in order.
def configurations:
    parse as $asked | $asked.quick as $quick
    | (sets($quick)[$asked.command // ""]
        // (if ["rate", "seconds", "storm"] | index($asked.command // "")
              then [$asked.command]
              else "'\($asked.command // "")' is no command: rate, seconds, storm\(
                  [sets($quick) | keys_unsorted[] | ", " + .] | add)" | misuse end))
    | reduce (.[] | split(" ") | parse | .given += $asked.given
        | configurations_of($quick)) as $one
        ([]; if any(.[]; . == $one) then . else . + [$one] end)
    | .[];

# Assignments for the shell.
def variables: to_entries[] | "\(.key)=\(.value | tostring | @sh)";

def has_database: [.store, .hosts] - ["mysql", "pgsql"] | length < 2;

# What is not of the configuration: two runs that differ in it are alike.
def run: del(.runs, .output, .server_cpus, .load_cpus);

# ---- Servers

def hex($digits): . as $n | [range($digits - 1; -1; -1)]
    | map(($n / pow(16; .) | floor) % 16 | "0123456789abcdef"[.:. + 1]) | add;

def dotted: [. / 16777216, . / 65536 % 256, . / 256 % 256, . % 256]
    | map(floor | tostring) | join(".");

# Subnet $k begins with the address of its relay; one subnet has no relay.
def base($k):
    if .family == 6 then "2001:db8:\((if .subnets == 1 then 1 else $k + 2 end) | hex(4))::"
    elif .subnets == 1 then 167772160 # 10.0.0.0
    else 268435456 + $k * 65536 end;  # 16.0.0.0

def relays: range(.subnets) as $k
    | if .family == 6 then base($k) + "1" else base($k) + 1 | dotted end;

# Its n-th address that clients may get, and that which is reserved for host $h.
def address($k; $n):
    if .family == 6 then base($k) + "\((65536 + $n) / 65536 | hex(4)):\($n | hex(4))"
    else base($k) + (if .subnets == 1 then 65536 else 256 end) + $n | dotted end;

def reserved($h): base($h % .subnets) + 1024 * (if .subnets == 1 then 1 else 50 end)
    + ($h / .subnets | floor);

def share: .pool / .subnets | floor;

def pool($k): {pool: "\(address($k; 0)) - \(address($k; share - 1))"};

# The partners of load-balancing have a half of each pool.
def pools($k):
    if .ha == "load-balancing" then
        (share / 2 | floor) as $half
        | {pool: "\(address($k; 0)) - \(address($k; $half - 1))",
           "client-class": "HA_server1"},
          {pool: "\(address($k; $half)) - \(address($k; share - 1))",
           "client-class": "HA_server2"}
    else pool($k) end;

def subnet($k): . as $c
    | {id: ($k + 1), pools: [pools($k)],
       subnet: (if .family == 6 then base($k) + "/64"
                else "\(base($k) | dotted)/\(if .subnets == 1 then 8 else 16 end)" end)}
    + (if .family == 6 and .subnets == 1 then {interface: "dhcp\($number)"} else {} end)
    + if .hosts == "config" then {reservations: [range($k; .reservations; .subnets) | . as $h
        | {"hw-address": "0a:00:00:\(. / 65536 | hex(2)):\(. / 256 | hex(2)):\(hex(2))"}
        + ($c | if .family == 6 then {hostname: "h\($h)"}
           else {"ip-address": (reserved($h) | dotted)} end)]} else {} end;

# The same reservations for the table of a database.
def hosts_sql: . as $c
    | "BEGIN; DELETE FROM hosts;",
      (range(.reservations) as $h | $c
        | (if .hosts == "mysql" then "x'" else "'\\x" end) as $bytes
        | "INSERT INTO hosts (dhcp_identifier, dhcp_identifier_type, dhcp\(.family)_subnet_id, "
        + "\(if .family == 6 then "hostname" else "ipv4_address" end)) VALUES (\($bytes
          )0a0000\($h | hex(6))', 0, \($h % .subnets + 1), \(
            if .family == 6 then "'h\($h)'" else reserved($h) end));"), "COMMIT;";

# Of database servers that servers.sh started.
def database($kind; $name):
    ($kind | ascii_upcase | "UBENCH_\(.)_") as $of
    | {type: {mysql: "mysql", pgsql: "postgresql"}[$kind], $name, host: "127.0.0.1",
       port: (env[$of + "PORT"] | tonumber), user: env[$of + "USER"],
       password: env[$of + "PASSWORD"]};

def kea_store:
    if .store == "memfile" then
        {type: "memfile", name: "\($folder)/leases.csv", persist: (.sync != "volatile")}
    else
        database(.store; if $number == 1 then "kea" else "kea2" end)
    end;

# The library's own listeners need threads; their number is that of Kea's.
def ha_hooks:
    [{library: "\($hooks)/libdhcp_lease_cmds.so"},
     {library: "\($hooks)/libdhcp_ha.so", parameters:
        {"high-availability": [{
            "this-server-name": "server\($number)", mode: .ha, "heartbeat-delay": 1000,
            "max-response-delay": (.ha_delay_s * 1000), "max-unacked-clients": 0,
            "multi-threading": {"enable-multi-threading": true,
                "http-dedicated-listener": true,
                "http-listener-threads": .threads, "http-client-threads": .threads},
            peers: [{name: "server1", role: "primary", url: "http://127.0.0.1:8001/"},
                {name: "server2", url: "http://127.0.0.1:8002/",
                 role: (if .ha == "hot-standby" then "standby" else "secondary" end)}]
        }]}}];

def hooks:
    (if .hook == "none" then [] else [{library: "\($hooks)/ubench_hook.so",
        parameters: {mode: .hook, "delay-ms": .hook_ms}}] end)
    + if .ha == "none" then [] else ha_hooks end;

def loggers: [{name: "kea-dhcp\(.family)", severity: "WARN"}]
    + (if .ha == "none" then []
       else [{name: "kea-dhcp\(.family).ha-hooks", severity: "INFO"}] end)
    | map(. + {output_options: [{output: "\($folder)/server.log"}]});

def kea:
    . as $c
    | (if .family == 6 then "option[1].hex" else "pkt4.mac" end) as $class_of
    | {"Dhcp\(.family)": ({
        "interfaces-config": ({interfaces: ["dhcp\($number)"]}
            + if .family == 4 then {"dhcp-socket-type": "raw"} else {} end),
        "lease-database": kea_store,
        "valid-lifetime": 86400,
        "multi-threading": (if .threads == 1 and .ha == "none"
            then {"enable-multi-threading": false}
            else {"enable-multi-threading": true, "thread-pool-size": .threads,
                  "packet-queue-size": .queue} end),
        "hooks-libraries": hooks, loggers: loggers,
        "subnet\(.family)": [range(.subnets) as $k | subnet($k)]
      } + if .classes == 0 then {} else {
        "client-classes": [range(.classes) | {name: "class\(.)",
            test: "substring(\($class_of),\(. % 6),1) == 0x\(hex(2))"}]
      } end + if .hosts == "mysql" or .hosts == "pgsql" then {
        "hosts-database": database(.hosts; "kea")
      } else {} end + if .family == 6 then {
        "data-directory": $folder, "preferred-lifetime": 43200} else {} end)};

def dhcpd:
    "authoritative;
default-lease-time 86400;
max-lease-time 86400;
ddns-update-style none;
ping-check false;
\(if .delayed_ack > 0 then "delayed-ack \(.delayed_ack);\n" else "" end)subnet 10.0.0.0 netmask 255.0.0.0 {
    range \(pool(0).pool | sub(" - "; " "));
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

# A process of the database that ended in between takes its time with it.
def delta($name): [0, ($after[0][$name] - $before[0][$name]) * 100 | round / 100] | max;

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
    | .elapsed_s = ($after[0].at - $before[0].at) | .cores = $after[0].cores
    | . + {$stored, $start_s, memory_mb: ($memory * 10 | round / 10)};

def trial_text:
    "  \(.offered) a second: \(.sent) asked, \(.granted) granted, \(
        .lost * 1000 | round / 10) % lost\(
        if .kept_up then "" else "; perfdhcp fell behind" end)";

# Second by second: the sums that perfdhcp prints with -C are those of discovers and
# requests that were sent, and of their answers.
def seconds_each: [[splits("\n") | select(test("^[0-9]+(,[0-9]+){7}$"))
        | split(",") | map(tonumber)]
        | foreach .[] as $row ([0, 0]; $row; .)] | .[0:$run[0].seconds]
        | [[0, 0, 0, 0]] + map(.[:4]) | [range(1; length) as $i
            | {asked: (.[$i][0] - .[$i - 1][0]), granted: (.[$i][3] - .[$i - 1][3])}];

# What a killed partner costs: answers, and the time until nine in ten clients of a
# second are answered again.
def failover($kill): .[$kill:]
    | map(.granted >= 0.9 * .asked) as $well
    | ([$well | index(false), length] | map(numbers) | .[0]) as $from
    | {lost: ([map(.asked - .granted) | add, 0] | max),
       back_s: (if $from == length then 0
                else $well[$from:] | index(true) | if . then . + $from else . end end)};

def series:
    {seconds_each: seconds_each, trials: [trial]}
    | if $run[0].kill_s == 0 then . else
        .failover = (.seconds_each | failover($run[0].kill_s)) + $again end;

# All clients at once: the time until each has a lease.
def storm:
    . as $text
    | trial | del(.offered, .kept_up, .holds)
    | .resent = ($text | number_after("Requests resent: "))
    | .duration_s = ($text | capture("It took (?<h>\\d+):(?<m>\\d+):(?<s>[0-9.]+)")
        | (.h | tonumber) * 3600 + (.m | tonumber) * 60 + (.s | tonumber))
    | {trials: [.]};

# The search: raises the rate until too much is lost in two trials, then halves the
# distance to the highest that held, until it is less than a twentieth of it.  A
# rate for which the load was too slow did not hold.
def holds: .holds and .kept_up;

# A later run of a configuration begins near what those before it found, with smaller
# steps.  "FROM; FACTOR"
def steps:
    map(.rate | numbers) | if length == 0 then "\($run[0].start_rate); 2"
    else "\(add / length * 0.95 | round + 1); 1.15" end;

def next_rate($from; $factor):
    ([.[] | select(holds) | .offered] | max) as $low
    | (group_by(.offered) | map(select(any(.[]; holds) | not))) as $failed
    | ([$failed[] | select(length > 1) | .[0].offered] | min) as $high
    | ([$failed[] | select(length == 1) | .[0].offered][0]) as $again
    | if $again != null then $again
      elif $low == null and $high == null then $from
      elif $low == null then (if $high > 1 then $high / $factor | floor else null end)
      elif $high == null then $low * $factor | ceil
      elif $high / $low < 1.05 or $high - $low < 2 then null
      else $low * $high | sqrt | round end;

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

def extras: [
    (select(.classes > 0) | ", \(.classes) client classes"),
    (select(.full > 0) | ", \(.full) % of the pool taken"),
    (select(.subnets > 1) | ", \(.subnets) subnets"),
    (select(.reservations > 0) | ", \(.reservations) reservations in \(
        if .hosts == "config" then "the configuration" else .hosts end)"),
    (select(.hook != "none") | ", backend of \(.hook_ms) ms: \(.hook)"),
    (select(.ha != "none") | ", pair: \(.ha)")] | add // "";

def short_title:
    "\(.server), \(.store), sync \(.sync), threads \(.threads)\(extras)";

def title:
    (if .server == "kea" then "kea-dhcp\(.family)" else .server end)
    + " \(.server_version), \(if .store == "memfile" or .store == "dhcpd"
        then "its lease file" else .store_name end), "
    + (if .threads == 1 then "1 thread" else "\(.threads) threads, queue of \(.queue)" end)
    + (if .delayed_ack > 0 then ", delayed-ack \(.delayed_ack)" else "" end)
    + extras,
    durability_line;

# Microseconds of processors over trials for each lease that was granted, or for each
# client if there was none.
def processor_us($name):
    (map(.processor_s[$name]) | add) * 1e6
        / ([map(.granted), map(.sent), [1]] | map(add | select(. > 0)) | .[0]);

def processor_text($trials):
    "processor    for each \(if any($trials[]; .granted > 0) then "lease" else "client"
        end): server \($trials | processor_us("server") | three) us"
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
    (.trials[0] | "load         \(.offered) clients a second: \(.sent) asked, \(
        .granted) granted, \(.lost * 1000 | round / 10) % lost\(
        if .kept_up then "" else "; perfdhcp fell behind" end)"),
    "             of a second: \([.seconds_each[].granted] | min) to \(
        [.seconds_each[].granted] | max) granted",
    (select(.failover) | .failover as $f
     | "failover     in second \(.kill_s) server 1 was killed: \($f.lost) clients had no answer; \(
        if $f.back_s == null then "not" else "after \($f.back_s) s" end) as before",
       "leases       only the killed one has \($f.only_killed), only the other one \(
        $f.only_survivor)",
       "             \($f.again_s) s after its restart \($f.differ) differ"),
    "second       granted of asked",
    (.seconds_each | to_entries[]
        | "\("     \(.key + 1)"[-6:])       \(.value.granted) of \(.value.asked)"),
    processor_text(.trials);

def storm_text:
    .[0] as $c | map(.trials[]) as $trials
    | ($c | title),
      "storm        \($c.clients) clients at once: all had a lease after \(
        $trials | map(.duration_s) | kept | mean | three) s",
      "             \($trials | map(.resent) | mean | three) requests were sent again",
      ($c | processor_text($trials));
