# SPDX-License-Identifier: ISC
#
# What sweep.sh works out, on one JSON document, sweep.json; sweep.sh itself runs
# programs and notes what they said.  The document, as it grows:
#
#   place, arguments  where the command was typed, and its words
#   options      of each runner: store, letter, name, takes (an argument), default
#   axes         what was typed: group (0 is the command line, others are of the
#                sweep file), type (own, store, option, flag, set, server), names,
#                text, values
#   stores       group and store, of which cells are made
#   settings     each --set and --server-option that was tried: type, store, name,
#                setting, and what the store said if it refused it
#   left_out     what the stores said to what they do not have
#   reference    the run that is first and last in each block, or null; cell 0
#   cells        store, server's options, words for the runner, traits; then name,
#                tries (short runs: operations, or null if it was a whole one, leases
#                that were there before, seconds and of these busy_s in its phases),
#                estimate and seconds of each run, and same: the names of cells that
#                come to the same settings
#   broken       names of cells that cannot be run at all, and why
#   plan, todo   run, block, position in it, role, cell; todo is what of it is not
#                in the output yet
#
# A call is an array: a function of sweep.sh and its words.  jq 1.6 will do.

def misuse: "sweep.sh: \(.)\n" | halt_error(2);
def fail: "sweep.sh: \(.)\n" | halt_error(1);
def check(condition; message): if condition then . else message | misuse end;
def distinct: reduce .[] as $x ([]; if any(.[]; . == $x) then . else . + [$x] end);
def heading($text): if length == 0 then empty else $text + ":", "  " + .[] end;

def show_time:
  if . < 9.95 then "\(. * 10 | round / 10) s" elif . < 99.5 then "\(round) s"
  elif . < 5970 then "\(. / 60 | round) min" else "\(. / 360 | round / 10) h" end;

# The time of day in so many seconds, and the day if it is another.
def until_when:
  (now | localtime | strftime("%F")) as $today
  | now + . | localtime
  | if strftime("%F") == $today then strftime("%H:%M") else strftime("%H:%M on %F") end;

# ---- The command line

# "a,b\,c" is a and b,c.
def values:
  split("\\,") | join("\u0001") | split(",") | map(split("\u0001") | join(","))
  | if . == [] then [""] else . end;

def add_axis($type; $names; $option; $text):
  {group, type: $type, names: $names} as $axis
  | check($text | explode | all(. >= 32 and . != 127);
      "\($option): control characters are not for a sweep")
  | check(all(.axes[]; {group, type, names} != $axis); "\($option) is given twice")
  | .axes += [$axis + {text: $text, values: ($text | values)}];

def add_setting($type; $option; $text):
  check($text | test("^[^=]+="); "\($option): '\($text)' is not NAME=VALUE,VALUE...")
  | ($text | split("=")) as $parts
  | add_axis($type; $parts[:1]; "\($option) \($parts[0])"; $parts[1:] | join("="));

def own_options:
  ({name: "help", letter: "h"}, {name: ("dry-run", "restart-server")},
   ({name: "blocks", letter: "r"}, {name: "output", letter: "O"},
    {name: ("store", "reference", "order-seed", "campaign", "server-option")} | .takes = true))
  | .own = true;

# The value of one of them; empty if it was not given.  The command line comes first.
def own($name): first(.axes[] | select(.type == "own" and .names == [$name] and .text != "").text);

# Of an option as it was typed: its names, more than one if runners differ (-f is
# --file or --database), whether it takes a value, and whether it is our own.
def look_up($typed):
  [own_options, .options[] | select("-\(.letter)" == $typed or "--\(.name)" == $typed)]
  | check($typed != "--resume"; "--resume stands alone: the other options are known")
  | check(. != []; "\($typed): no runner has this option; --help lists those of a sweep")
  | {names: (map(.name) | distinct), takes: .[0].takes, own: .[0].own}
  | check(.names != ["password"]; "--password is not for a sweep: set UBENCH_PASSWORD")
  | check(.own or .names - ["json", "label", "list-options", "output", "progress", "verbose",
      "version"] != []; "--\(.names[0]) is not for a sweep");

# Reads .words into the group.
def parse:
  if .words == [] then . else
    .words[0] as $word | .words |= .[1:]
    | if $word | test("^@.") then
        check(.group == 0; "\($word): a sweep within a sweep")
        | add_axis("own"; ["sweep"]; "@SWEEP"; $word[1:])
      else
        check($word | test("^-."); "'\($word)': unexpected argument; --help lists the options")
        | ($word | if test("^--.") then split("=") else [.[:2], .[2:]] - [""] end) as $parts
        | $parts[0] as $typed
        | look_up($typed) as {$names, $takes, $own}
        | check($takes or ($parts | length == 1); "\($typed) takes no value")
        | (if ($parts | length > 1) then $parts[1:] | join("=") else .words[0] end) as $value
        | check(($takes | not) or $value != null; "\($typed): the value is missing")
        | if $takes and ($parts | length == 1) then .words |= .[1:] else . end
        | "--\($names | join("/"))" as $shown
        | if $names == ["set"] then add_setting("set"; $shown; $value)
          elif $names == ["server-option"] then add_setting("server"; $shown; $value)
          elif $names == ["store"] then add_axis("store"; $names; $shown; $value)
          elif $takes then add_axis(if $own then "own" else "option" end; $names; $shown; $value)
          else add_axis(if $own then "own" else "flag" end; $names; $typed; "yes") end
        | if $names == ["help"] then .words = [] else . end
      end
    | parse
  end;

def read_command($options; $place):
  {$place, arguments: $ARGS.positional, $options, axes: [], settings: [], left_out: [],
   group: 0, words: $ARGS.positional}
  | parse;

# An option to a line; a line + begins the next group.
def read_file($text):
  .group = 1
  | reduce ($text | split("\n")[] | [splits("[ \t]+")] - [""]) as $words (.;
      if $words == [] or ($words[0] | startswith("#")) then .
      elif $words == ["+"] then .group += 1
      else .words = $words[:1] + ([$words[1:] | join(" ")] - [""]) | parse end)
  | .groups = .group | del(.group, .words);

def whole($option; $max):
  check(test("^[0-9]{1,9}$") and (tonumber | . >= 1 and . <= $max);
    "\($option): '\(.)' is not a whole number in 1..\($max)")
  | tonumber;

def built: [.options[].store] | distinct;

def check_built($option; $store):
  check(any(built[]; . == $store);
    "\($option): '\($store)' is not one of those whose runner is built: \(built | join(" "))");

# Those that the command line and the file both want.
def stores_of($group):
  [.axes[] | select(.type == "store" and (.group == 0 or .group == $group)).values] as $lists
  | built[] as $store
  | select(all($lists[]; any(.[]; . == $store)) and ($lists != [] or $store != "null"))
  | {$group, $store};

def check_reference($text):
  ($text | split(" ") - [""]) as $words
  | check($text | test("^[A-Za-z0-9 =._,/-]+$");
      "--reference: '\($text)' has other characters than words of options need")
  | if $text == "none" then .reference = null
    else
      check_built("--reference"; $words[0])
      | .reference = {$text, name: "reference", store: $words[0], words: $words[1:], server: [],
          count: 2000, preload: 0, small: 100}
    end;

# Checks sweep.sh's own options.
def check_own($random):
  .blocks = (own("blocks") // "9" | whole("--blocks"; 1000))
  | .order_seed = (own("order-seed") // $random | whole("--order-seed"; 999999999))
  | .campaign = (own("campaign") // (now | todate))
  | check(.campaign | test("^[A-Za-z0-9.:_-]*$");
      "--campaign: '\(.campaign)' has other characters than letters, digits and .:_-")
  | check(.campaign | length <= 100; "--campaign: more than 100 characters")
  | check_reference(own("reference") // "memfile -s yes -n 2000")
  | reduce (.axes[] | select(.type == "store").values[] | select(. != "")) as $store (.;
      check_built("--store"; $store))
  | .restart = (any(own("restart-server"); .) or any(.axes[]; .type == "server"))
  | .output = (own("output") //
      (own("sweep") // "sweep" | split("/")[-1] | rtrimstr(".sweep") + ".jsonl")
      | if startswith("-") then "./" + . else . end)
  | .stores = [stores_of(range(1; .groups + 1))]
  | check(.stores != []; "--store: no store is left");

# For sweep.sh's eval.
def variables:
  {output, campaign, dry_run: [own("dry-run")], restart: [select(.restart) | "yes"],
   # Those that servers.sh starts; kea reaches a server that runs.
   server_stores: [.options[] | select(.name == "port").store
     | select(IN("mysql", "pgsql"))]}
  | to_entries[] | "\(.key)=\([.value] | flatten | join(" ") | @sh)";

# A store whose server does not start, and that was not asked for by name.
def leave_out($store; $said):
  if $store == .reference.store or any(.axes[]; .type == "store") then "\($store): \($said)" | fail
  else .left_out += ["\($store): \($said)"] | .stores |= map(select(.store != $store)) end
  | check(.stores != []; "--store: no store is left");

# ---- Cells

def has_option($store; $name): any(.options[]; .store == $store and .name == $name);

# What a store calls an axis; empty if it does not have it.
def own_name($axis; $store):
  if $axis.type == "option" or $axis.type == "flag" then
    first($axis.names[] as $name | select(has_option($store; $name)) | $name)
  else
    [$axis.type, $store, $axis.names[0], null] as $taken
    | select(any(.settings[]; [.type, .store, .name, .said] == $taken)) | $axis.names[0]
  end;

def trait: "\(.name)=\(.value)";

# Each combination of the values that the axes of a group have for a store; what it
# does not have is left out.  The last axis changes first, but a server's options
# last: a change of them starts it anew.
def combine($group; $store):
  . as $sweep
  | reduce (.axes[] | select((.type == "own" or .type == "store" | not) and
      (.group == 0 or .group == $group))) as $axis ([];
      if any(.[]; [.type, .names] == [$axis | .type, .names]) then . else . + [$axis] end)
  | [.[] | . as $axis | .name = ($sweep | own_name($axis; $store))]
  | to_entries | sort_by(.value.type != "server")
  | map([.key as $at | .value | {$at, type, name, value: .values[]}])
  | combinations | sort_by(.at)
  | {$store, traits: map({type, name, value}),
     server: map(select(.type == "server") | "--" + trait),
     words: map(if .type == "flag" then "--" + .name
                else {server: "--label=", set: "--set=", option: "--"}[.type] + trait end)};

# Which store takes a setting is found out by trying, on top of its first cell.
def setting_calls($type):
  .stores[] as {$group, $store}
  | select($type == "server" or has_option($store; "set"))
  | [.axes[] | select(.type == $type and (.group == 0 or .group == $group))
      | {name: .names[0], setting: "\(.names[0])=\(.values[])"}] as $settings
  | first(.settings = [] | combine($group; $store)).words as $words
  | $settings[] | ["try_setting", $type, $store, .name, .setting] + $words;

# A setting that no store takes in any of its values is a mistake on the command
# line; one in a file may be of a store that was not chosen.
def check_settings:
  reduce (.axes[] | select(.group == 0)) as {$type, $names} (.;
    [.settings[] | select(.type == $type and .name == $names[0])] as $tried
    | check(($type != "set" and $type != "server") or any($tried[]; .said == null);
        "\({set: "--set", server: "--server-option"}[$type]): " + ($tried[-1]
          | if . == null then "\($names[0]): none of the stores takes any"
            else "\(.setting): \(.said)" end)));

def make_cells:
  .cells = ([.stores[] as {$group, $store} | combine($group; $store)] | distinct);

# Of the cells that a runner refused.  A value on the command line that is in no
# other cell is a mistake, and so is an option that no store has.
def check_cells:
  [.axes[] | select(.group == 0)] as $typed
  | [.cells[] | select(.refused == null).traits[]] as $used
  | [.cells[] | select(.refused != null)
      | select([.traits[] | select([.] - $used != []).name] | . - [$typed[].names[]] != .).refused]
      as $wrong
  | [.cells[].refused | select(. != null)] as $refused
  | check($wrong == []; $wrong[0])
  | if all(.cells[]; .refused != null) then "no cell is left: \($refused[0])" | fail else . end
  | reduce ($typed[] | select(.type == "option" or .type == "flag").names) as $names (.;
      check(any(has_option(.stores[].store; $names[]); .);
        "--\($names[0]): none of the stores has it"))
  | .left_out += $refused
  | .cells |= map(select(.refused == null));

# A trait that cells differ in, also as only some cells of a store have it.
def varies($name):
  ([.[].traits[] | select(.name == $name).value] | unique | length > 1) or
  any(group_by(.store)[] | map(any(.traits[]; .name == $name)); any and (all | not));

def number:
  {k: 1e3, M: 1e6, G: 1e9}[.[-1:]] as $scale
  | if $scale == null then tonumber else (.[:-1] | tonumber) * $scale end;

# Gives each cell a name of what distinguishes it, and its sizes.
def name_cells:
  .options as $options
  | .cells as $cells
  | [[$cells[].traits[].name] | unique[] | select(. as $name | $cells | varies($name))] as $varying
  | .cells |= [to_entries[] | .key as $at | .value
      | def amount($name):
          [.traits[] | select(.name == $name).value][0] //
          (.store as $store | $options[] | select(.store == $store and .name == $name).default)
          | number;
        .name = ([.store, (.traits[] | select(.name == $varying[]) | trait)] | join(" "))
      | if .name | length > 190 then .name = "\(.store) cell \($at + 1)" else . end
      | .count = amount("count") | .preload = amount("preload")
      | .small = ([([amount("threads"), 100] | max), .count] | min)]
  | .cells = [.reference | objects] + .cells;

# ---- Tries

# A server is started anew with a cell's options, unless the cell before had the same.
def try_calls:
  . as $sweep
  | .cells | to_entries[] | .key as $at | .value
  | (["serve", .store, "--"] + .server | select($sweep.restart and ($at == 0 or
      . != ($sweep.cells[$at - 1] | ["serve", .store, "--"] + .server)))),
    ["try_cell", $at, .store] + .words;

# The next short run of a cell: operations and preload, which 0 leaves to the workload;
# nothing if its time is known.
def next_try:
  (.tries // []) as $tries
  | if $tries == [] then "\(.small) 0"
    elif $tries[0].small == null then empty
    elif $tries[0].busy_s < 0.05 and .count >= 10000 and ($tries | length) == 1 then "10000 0"
    else ($tries[0].preload + 10000) as $more
      | select(.preload >= $more and $tries[-1].preload < $more) | "\($tries[-1].small) \($more)"
    end;

# Of a line of results: the seconds that its operations took.
def busy_s:
  [.runs[] | .together as $together | [.phases[].elapsed_ns]
    | if $together then max else add end] | add // 0 | . / 1e9;

# $small: its operations, or null if it was a whole run.
def add_try($at; $small; $seconds; $line):
  .cells[$at].tries += [{$small, preload: ($line.parameters.preload // "0" | number), $seconds,
      busy_s: ($line | busy_s), settings: ($line | [.durability, .facts])}];

def estimate:
  .tries[0].preload as $least
  | (.tries | map(select(.preload == $least))[-1]) as $base
  | ($base.seconds - $base.busy_s) as $around
  | (.tries[-1] | if .preload > $least then (.seconds - .busy_s - $around) / (.preload - $least)
      else 0 end) as $each
  | if $base.small == null then $base.seconds
    else [0.01, $around + $base.busy_s * .count / $base.small +
      ([$each, 0] | max) * ([.preload - $least, 0] | max)] | max end;

# Cells come to the same settings if only their --sync and --set differ, and the
# store read back the same durability and the same facts for both.
def settled:
  [.store, .server, [.traits[]? | select(.type != "set" and .name != "sync")], .tries[0].settings];

def settle_cells:
  .left_out += [.cells[].refused | select(. != null)]
  | .cells |= map(select(.refused == null))
  | [.cells[] | select(.said != null)] as $broken
  | if $broken[0].name == "reference" then "--reference: \($broken[0].said)" | fail else . end
  | .broken = [$broken[] | "\(.name): \(.said)"]
  | .cells = reduce (.cells[] | select(.said == null)) as $cell ([];
      ([.[] | .name != "reference" and settled == ($cell | settled)] | index(true)) as $at
      | if $at == null then . + [$cell] else .[$at].same += [$cell.name] end)
  | if any(.cells[]; .name != "reference") then . else "no cell can be run: \((.broken + .left_out)[0])" | fail end
  | (if .reference then 0 else 1 end) as $first
  | .cells |= [to_entries[] | .value + {cell: (.key + $first), estimate: (.value | estimate)}];

# ---- The plan

# Lehmer's generator (Park and Miller, Communications of the ACM 31, 1988) and
# Fisher's and Yates' shuffle: the same order from a seed everywhere.
def draw: .seed = .seed * 16807 % 2147483647;

def shuffle:
  reduce range(.order | length; 1; -1) as $i (.;
    draw
    | (.seed / 2147483647 * $i | floor) as $k | .order[$k] as $x
    | .order[$k] = .order[$i - 1] | .order[$i - 1] = $x);

def make_plan:
  [select(.reference) | {role: "reference", cell: 0}] as $reference
  | {seed: .order_seed, order: [.cells[].cell | select(. > 0)]} as $start
  | .plan = ([foreach range(1; .blocks + 1) as $block
        (reduce range(10) as $_ ($start; draw); shuffle;
         $reference + [{role: "cell", cell: .order[]}] + $reference
           | to_entries[] | {$block, position: (.key + 1)} + .value)]
      | [to_entries[] | {run: (.key + 1)} + .value])
  | .todo = .plan;

# The seconds that the runs from this one on will take: as long as others of their
# cell, or as was estimated, times how wrong that was of half of the other cells.
def time_left($run):
  ([.cells[] | select(.seconds) | (.seconds | add / length) / .estimate] | sort
    | .[length / 2 | floor] // 1) as $wrong
  | (reduce .cells[] as $cell ({}; .[$cell.cell | tostring] = ($cell
      | if .seconds then .seconds | add / length else .estimate * $wrong end))) as $expected
  | [.todo[] | select(.run >= $run) | $expected[.cell | tostring]] | add // 0;

def add_time($cell; $seconds): (.cells[] | select(.cell == $cell)).seconds += [$seconds];

def show_broken: .broken | heading("cannot be run");

def show_plan:
  (.cells[] | select(.cell > 0)
    | "  \(.cell | tostring | if length < 3 then "  \(.)"[-3:] else . end)  \(.name)"),
  (.reference | objects | "  reference: \(.text)"),
  (.left_out | unique | heading("left out")),
  ([.cells[] | select(.same) | [.name, .same[]] | join(", ")]
    | heading("come to the same settings and are run once")),
  show_broken,
  (time_left(1) as $left
    | "\(.plan | length) runs in blocks of \((.plan | length) / .blocks):" +
      " about \($left | show_time), until \($left | until_when)"),
  "campaign \(.campaign), order seed \(.order_seed), results go to \(.output)";

# Dry: what order the runs would have.
def show_order:
  .plan | group_by(.block)[] | map(if .role == "reference" then "R" else "\(.cell)" end) as $runs
  | "block \(.[0].block): \($runs | join(" "))";

# ---- Runs

# Of a line of the output: a run of the campaign that came to its end.
def finished($campaign):
  fromjson? | objects
  | select(.labels.campaign == $campaign and .incomplete == false and .error == "")
  | {block: (.labels.block | tonumber), position: (.labels.position | tonumber),
     role: .labels.role, cell: .labels.cell, class: .durability.class, busy_s: busy_s};

def leave_todo($finished):
  [$finished[] | [.block, .position]] as $done
  | .todo = [.plan[] | select([[.block, .position]] - $done != [])];

def run_calls:
  . as $sweep
  | .todo[] as $run
  | .cells[] | select(.cell == $run.cell)
  | ["announce", $run.run],
    ["serve", .store] + [select($sweep.restart) | "--", .server[]],
    ["do_run", .cell, .store, .name] +
      [{campaign: $sweep.campaign, block: $run.block, position: $run.position, role: $run.role,
        cell: .name, "order-seed": $sweep.order_seed}
        | to_entries[] | "--label=\(.key)=\(.value)"] + .words;

def announce($run):
  .plan[$run - 1] as $this
  | "[\($run)/\(.plan | length)] block \($this.block) of \(.blocks), " +
    "\(time_left($run) | show_time) left: \(.cells[] | select(.cell == $this.cell).name)";

# A block in which the machine changed shows by its two references.
def show_drift:
  map(select(.role == "reference")) | group_by(.block)[] | select(length == 2) | sort_by(.position)
  | select(.[0].busy_s > 0) | (.[1].busy_s / .[0].busy_s) as $ratio
  | select($ratio > 1.1 or $ratio < 1 / 1.1)
  | "WARNING: the machine changed during block \(.[0].block): at its end the reference" +
    " took \($ratio * 100 | round / 100) times as long";

def summary($finished; $failed):
  "\($finished | length) of \(.plan | length) runs are in \(.output); \($failed | length) failed",
  ($failed | group_by(.)[] | "  \("      \(length)"[-7:]) \(.[0])"),
  (if $failed == [] then empty else "The same command tries them again." end),
  show_broken,
  ($finished | show_drift);

# The traits that cells differ in, and that one can compare along.
def compared:
  [.cells[] | select(.cell > 0)] as $cells
  | [$cells[].traits[] | select(.type != "flag" and .name != "workload").name] | unique
  | map(select(. as $name | $cells | varies($name)));

# What to ask of the results: of one store with one thing varied, what difference it
# makes; else the answer.
def question($finished):
  compared as $varying
  | ([$finished[] | select(.role == "cell").class] | unique | length) as $classes
  | if ([.cells[] | select(.cell > 0).store] | unique | length > 1) or $classes > 1 or
       ($varying | length != 1)
    then "answer" else "compare --by \($varying[0])" end;

# Beside the answer: stores that promise the same durability, or what else varied.
def suggest_comparison($finished):
  ($finished | map(select(.role == "cell")) | group_by(.class)
    | map({class: .[0].class, stores: [.[].cell | split(" ")[0]] | unique | length})
    | (map(select(.class == "power-safe")) + .) | map(select(.stores > 1))) as $stores
  | if $stores != [] then "store --where durability=\($stores[0].class)"
    else (compared - ["sync"])[0] // empty end
  | "  ./ubench_report compare --by \(.) ";

def more($finished):
  question($finished) as $question
  | "",
    "  ./ubench_report \($question) \(.output)",
    (if $question == "answer" then suggest_comparison($finished) + .output else empty end),
    "  ./ubench_report tables \(.output)",
    "  ./ubench_report page \(.output) >\(.output | rtrimstr(".jsonl")).html";
