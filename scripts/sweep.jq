# SPDX-License-Identifier: ISC
#
# What sweep.sh works out, on one JSON document, sweep.json; sweep.sh itself
# only runs programs and notes what they said.  The document, as it grows:
#
#   place, arguments  where the command was typed, and its words
#   options      of each runner: store, letter, name, takes (an argument), default
#   own          sweep.sh's own options that take a value, by name
#   axes         type (store, option, flag, set, server), names, values, and the
#                group: 0 is the command line, others are those of the sweep file
#   stores       group and store, of which cells are made
#   settings     type, store, name, setting: a --set or --server-option that was
#                tried, and what the store said if it refused it
#   left_out     what the stores said to cells that they do not have
#   reference    the run that is first and last in each block, or null; cell 0
#   cells        store, server's options, words for the runner, traits; then name,
#                tries (short runs), estimate in seconds, and same: the names of
#                cells that came to the same settings
#   broken       names of cells that cannot be run at all, and why
#   plan         run, block, position in it, role, cell
#   todo         of the plan, what is not in the output yet
#
# A call is an array: a function of sweep.sh and its words.  jq 1.6 will do.

def misuse: "sweep.sh: \(.)\n" | halt_error(2);
def fail: "sweep.sh: \(.)\n" | halt_error(1);
def distinct: reduce .[] as $x ([]; if any(.[]; . == $x) then . else . + [$x] end);

# With so many digits behind the point.
def fixed($digits):
  pow(10; $digits) as $scale
  | (. * $scale | round) as $n
  | "\($n / $scale | floor)." + ("\($scale + $n % $scale)"[1:]);

def show_time:
  if . < 9.95 then "\(fixed(1)) s"
  elif . < 99.5 then "\(round) s"
  elif . < 5970 then "\(. / 60 | round) min"
  else "\(. / 3600 | fixed(1)) h" end;

# The time of day in so many seconds, and the day if it is another.
def until_when:
  (now | localtime | strftime("%F")) as $today
  | (now + . | localtime)
  | if strftime("%F") == $today then strftime("%H:%M") else strftime("%H:%M on %F") end;

# ---- The command line

# "a,b\,c" is a and b,c.
def values:
  split("\\,") | join("\u0001") | split(",") | map(split("\u0001") | join(","))
  | if . == [] then [""] else . end;

def add_axis($type; $names; $option; $text):
  {group, type: $type, names: $names, option: $option, values: ($text | values)} as $axis
  | if $text | explode | any(. < 32 or . == 127) then
      "\($option): control characters are not for a sweep" | misuse
    elif any(.axes[]; .group == $axis.group and .type == $type and .names == $names) then
      "\($option) is given twice" | misuse
    else .axes += [$axis] end;

def add_setting($type; $option; $text):
  ($text | split("=")) as $parts
  | if ($parts | length) < 2 or $parts[0] == "" then
      "\($option): '\($text)' is not NAME=VALUE,VALUE..." | misuse
    else
      add_axis($type; $parts[:1]; "\($option) \($parts[0])"; $parts[1:] | join("="))
    end;

# What the command line gave is not set again by the file.
def once($key; $option; $value):
  if (.own[$key] // "") == "" then .own[$key] = $value
  elif .group == 0 then "\($option) is given twice" | misuse
  else . end;

# The options of sweep.sh, and whether they take a value.
def own_options:
  {store: true, blocks: true, output: true, reference: true, "order-seed": true,
   campaign: true, "server-option": true,
   help: false, "dry-run": false, "restart-server": false};

# Of an option as it was typed: its names, more than one if runners differ
# (-f is --file or --database), and whether it takes a value.
def look_up($typed):
  ({"-h": "--help", "-r": "--blocks", "-O": "--output"}[$typed] // $typed | .[2:]) as $name
  | if own_options | has($name) then {own: true, names: [$name], takes: own_options[$name]}
    elif $name == "resume" then "--resume stands alone: the other options are known" | misuse
    else
      [.options[] | select("-" + .letter == $typed or "--" + .name == $typed)]
      | {names: (map(.name) | distinct), takes: any(.[]; .takes)}
      | if .names == [] then
          "\($typed): no runner has this option; --help lists those of a sweep" | misuse
        elif .names == ["password"] then
          "--password is not for a sweep: set UBENCH_PASSWORD" | misuse
        elif .names - ["json", "label", "list-options", "output", "progress", "verbose",
                       "version"] == [] then
          "--\(.names[0]) is not for a sweep" | misuse
        else . end
    end;

# An option with the value that it takes, or null.
def take($option; $typed; $value):
  $option.names[0] as $name
  | "--\($option.names | join("/"))" as $shown
  | if $option.takes | not then
      if $option.own then .[$name | split("-") | join("_")] = true
      else add_axis("flag"; $option.names; $typed; "yes") end
    elif $option.own and $name == "store" then add_axis("store"; [$name]; $shown; $value)
    elif $name == "server-option" then
      .restart_server = true | add_setting("server"; $shown; $value)
    elif $option.own then once($name; $shown; $value)
    elif $name == "set" then add_setting("set"; $shown; $value)
    else add_axis("option"; $option.names; $shown; $value) end;

# A word of the command line: the option, and a value that hangs on to it.
def split_word:
  if test("^--.") then
    split("=") | {typed: .[0]} + if length > 1 then {value: (.[1:] | join("="))} else {} end
  elif test("^-.") then {typed: .[:2]} + if length > 2 then {value: .[2:]} else {} end
  else "'\(.)': unexpected argument; --help lists the options" | misuse end;

# Reads .words into the group.
def parse:
  if .words == [] or .help then .
  else
    .words[0] as $word
    | .words |= .[1:]
    | if $word | test("^@.") then
        if .group == 0 then once("sweep"; "@SWEEP"; $word[1:])
        else "\($word): a sweep within a sweep" | misuse end
      else
        ($word | split_word) as $split
        | look_up($split.typed) as $option
        | if ($option.takes | not) and $split.value != null then
            "\($split.typed) takes no value" | misuse
          elif ($option.takes | not) or $split.value != null then
            take($option; $split.typed; $split.value)
          elif .words == [] then "\($split.typed): the value is missing" | misuse
          else
            .words[0] as $value | .words |= .[1:] | take($option; $split.typed; $value)
          end
      end
    | parse
  end;

def read_command($options; $place):
  {$place, arguments: $ARGS.positional, $options, own: {}, axes: [], settings: [],
   left_out: [], group: 0, words: $ARGS.positional}
  | parse;

# An option to a line; a line + begins the next group.
def read_file($text):
  .group = 1
  | reduce ($text | split("\n")[] | [splits("[ \t]+")] - [""]) as $words (.;
      if $words == [] or ($words[0] | startswith("#")) then .
      elif $words == ["+"] then .group += 1
      else .words = $words[:1] + ([$words[1:] | join(" ")] - [""]) | parse end)
  | .groups = .group
  | del(.group, .words);

def whole($option; $max):
  if test("^[0-9]{1,9}$") and tonumber >= 1 and tonumber <= $max then tonumber
  else "\($option): '\(.)' is not a whole number in 1..\($max)" | misuse end;

def built: [.options[].store] | distinct;

def check_built($option; $store):
  if any(built[]; . == $store) then .
  else
    "\($option): '\($store)' is not one of those whose runner is built: \(built | join(" "))"
    | misuse
  end;

# Those that the command line and the file both want.
def stores_of($group):
  [.axes[] | select(.type == "store" and (.group == 0 or .group == $group)).values] as $lists
  | built[] as $store
  | select(all($lists[]; any(.[]; . == $store)) and ($lists != [] or $store != "null"))
  | {$group, $store};

def check_reference:
  (if (.own.reference // "") == "" then "memfile -s yes -n 2000" else .own.reference end) as $text
  | if $text == "none" then .reference = null
    elif $text | test("^[A-Za-z0-9 =._,/-]+$") | not then
      "--reference: '\($text)' has other characters than words of options need" | misuse
    else
      ($text | split(" ") - [""]) as $words
      | check_built("--reference"; $words[0])
      | .reference = {text: $text, name: "reference", store: $words[0], words: $words[1:],
                      server: [], count: 2000, preload: 0, small: 100}
    end;

# Checks sweep.sh's own options.
def check($random):
  .blocks = (.own.blocks // "9" | whole("--blocks"; 1000))
  | .order_seed = (.own["order-seed"] // $random | whole("--order-seed"; 999999999))
  | .campaign = (.own.campaign // (now | todate))
  | if .campaign | test("^[A-Za-z0-9.:_-]*$") | not then
      "--campaign: '\(.campaign)' has other characters than letters, digits and .:_-" | misuse
    elif .campaign | length > 100 then "--campaign: more than 100 characters" | misuse
    else . end
  | check_reference
  | reduce (.axes[] | select(.type == "store").values[] | select(. != "")) as $store (.;
      check_built("--store"; $store))
  | .output = (.own.output // "\(.own.sweep // "sweep" | split("/")[-1] | rtrimstr(".sweep")).jsonl")
  | .stores = [stores_of(range(1; .groups + 1))]
  | if .stores == [] then "--store: no store is left" | misuse else . end;

# For sweep.sh's eval.
def variables:
  {output, campaign, dry_run, restart: .restart_server, reference_store: .reference.store,
   server_stores: ([.options[] | select(.name == "port").store] | join(" "))}
  | to_entries[]
  | "\(.key)=\(.value // "" | @sh)";

# ---- Cells

def has_option($store; $name): any(.options[]; .store == $store and .name == $name);

# What a store calls an axis; empty if it does not have it.
def own_name($axis; $store):
  if $axis.type == "option" or $axis.type == "flag" then
    first($axis.names[] as $name | select(has_option($store; $name)) | $name)
  else
    $axis.names[0] as $name
    | select(any(.settings[]; .type == $axis.type and .store == $store and .name == $name and
        .said == null))
    | $name
  end;

def trait: "\(.name)=\(.value)";

# Each combination of the values that the axes of a group have for a store.  The
# last axis changes first, but a server's options last: a change of them starts
# it anew.  What the store does not have is left out.
def combine($group; $store):
  . as $sweep
  | reduce (.axes[] | select(.type != "store" and (.group == 0 or .group == $group))) as $axis
      ([]; if any(.[]; .type == $axis.type and .names == $axis.names) then .
           else . + [$axis] end)
  | [.[] as $axis | $sweep | own_name($axis; $store) as $name | {axis: $axis, name: $name}]
  | to_entries
  | sort_by(.value.axis.type != "server")
  | map([.key as $at | .value.axis.type as $type | .value.name as $name
      | .value.axis.values[] | {$at, $type, $name, value: .}])
  | combinations
  | sort_by(.at)
  | {store: $store, traits: map(del(.at)),
     server: map(select(.type == "server") | "--" + trait),
     words: map(if .type == "server" then "--label=" + trait
                elif .type == "set" then "--set=" + trait
                elif .type == "flag" then "--" + .name
                else "--" + trait end)};

def settings_of($group; $type):
  .axes[] | select(.type == $type and (.group == 0 or .group == $group))
  | {name: .names[0], setting: "\(.names[0])=\(.values[])"};

# Which store takes a setting is found out by trying, on top of its first cell.
def set_calls:
  . as $sweep
  | .stores[] as {$group, $store}
  | [settings_of($group; "set")] as $settings
  | select($settings != [] and has_option($store; "set"))
  | first(.settings = [] | combine($group; $store)).words as $words
  | ["try_first", $store] + $words,
    ($settings[] | ["try_set", $store, .name, .setting] + $words);

def server_calls:
  .stores[] as {$group, $store}
  | [settings_of($group; "server")]
  | select(. != [])
  | (.[] | ["try_server_option", $store, .name, .setting]), ["try_no_server_option", $store];

# A setting that no store takes in any of its values is a mistake on the command
# line; one in a file may be of a store that was not chosen.
def check_settings:
  . as $sweep
  | [.axes[] | select(.group == 0 and (.type == "set" or .type == "server"))
      | .type as $type | .names[0] as $name
      | [$sweep.settings[] | select(.type == $type and .name == $name)]
      | select(all(.[]; .said != null))
      | "\(if $type == "set" then "--set" else "--server-option" end): " +
        if . == [] then "\($name): none of the stores takes any"
        else .[-1] | "\(.setting): \(.said)" end]
  | if . == [] then $sweep else .[0] | misuse end;

# A store whose server does not start, and that was not asked for by name.
def leave_out($store; $said):
  if $store == .reference.store or any(.axes[]; .type == "store") then
    "\($store): \($said)" | fail
  else
    .left_out += ["\($store): \($said)"]
    | .stores |= map(select(.store != $store))
    | if .stores == [] then "--store: no store is left" | fail else . end
  end;

def make_cells:
  .cells = ([.stores[] as {$group, $store} | combine($group; $store)] | distinct);

def cell_calls($function): .cells | to_entries[] | [$function, .key, .value.store] + .value.words;

# Of the cells that a runner refused.  A value on the command line that is in no
# other cell is a mistake, and so is an option that no store has.
def check_cells:
  . as $sweep
  | [.axes[] | select(.group == 0)] as $typed
  | [.cells[] | select(.refused == null).traits[] | trait] as $used
  | ([.cells[] | select(.refused != null)
      | select(any(.traits[]; trait as $trait | .name as $name
          | any($typed[].names[]; . == $name) and all($used[]; . != $trait)))] | .[0].refused)
      as $wrong
  | [$typed[] | select(.type == "option" or .type == "flag") | .names as $names
      | select(any($sweep | has_option(.stores[].store; $names[]); .) | not)
      | $names[0]] as $nowhere
  | if $wrong != null then $wrong | misuse
    elif all(.cells[]; .refused != null) then "no cell is left: \(.cells[0].refused)" | fail
    elif $nowhere != [] then "--\($nowhere[0]): none of the stores has it" | misuse
    else
      .left_out += [.cells[].refused | select(. != null)]
      | .cells |= map(select(.refused == null))
    end;

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
          .store as $store
          | ([.traits[] | select(.name == $name).value][0] //
             ($options[] | select(.store == $store and .name == $name).default)) | number;
        .name = ([.store, (.traits[] | select(.name as $name | any($varying[]; . == $name)) | trait)]
          | join(" "))
      | if .name | length > 190 then .name = "\(.store) cell \($at + 1)" else . end
      | .count = amount("count")
      | .preload = amount("preload")
      | .small = ([([amount("threads"), 100] | max), .count] | min)]
  | if .reference != null then .cells = [.reference] + .cells else . end;

# ---- Tries

# The next short run of a cell: operations and preload; nothing if its time is known.
def next_try:
  (.tries // []) as $tries
  | if $tries == [] then "\(.small) 0"
    elif $tries[0].took < 0.05 and .count >= 10000 and ($tries | length) == 1 then "10000 0"
    elif .preload >= 10000 and $tries[-1].preload == 0 then "\($tries[-1].small) 10000"
    else empty end;

# Of a line of results: the seconds that its operations took.
def took: [.. | objects | .elapsed_ns // empty] | add / 1e9;

def add_try($at; $words; $seconds; $line):
  ($words | split(" ") | map(tonumber)) as [$small, $preload]
  | .cells[$at].tries += [{$small, $preload, $seconds, took: ($line | took),
      settings: ($line | [.durability, .facts])}];

def estimate:
  (.tries | map(select(.preload == 0))[-1]) as $base
  | ($base.seconds - $base.took) as $around
  | (.tries[-1] | if .preload > 0 then (.seconds - .took - $around) / .preload else 0 end) as $each
  | $around + $base.took * .count / $base.small + ([$each, 0] | max) * .preload;

# Cells that promise the same by different words come to the same settings: all
# but their --sync and --set is alike, and so is all that the store read back.
def settled: [.store, .server, [.traits[]? | select(.type != "set" and .name != "sync")],
  .tries[0].settings];

# Of the cells that were tried; each store's settings are run once.
def settle_cells:
  .cells as $cells
  | if $cells[0].name == "reference" and $cells[0].said != null then
      "--reference: \($cells[0].said)" | fail
    else . end
  | .broken = [$cells[] | select(.said != null) | "\(.name): \(.said)"]
  | .cells = reduce ($cells[] | select(.said == null)) as $cell ([];
      ([.[] | .name != "reference" and settled == ($cell | settled)] | index(true)) as $at
      | if $at == null then . + [$cell] else .[$at].same += [$cell.name] end)
  | if all(.cells[]; .name == "reference") then "no cell can be run: \(.broken[0])" | fail
    else . end
  | (if .reference == null then 1 else 0 end) as $first
  | .cells |= [to_entries[] | .value + {cell: (.key + $first), estimate: (.value | estimate)}];

# ---- The plan

# Lehmer's generator (Park and Miller, Communications of the ACM 31, 1988) and
# Fisher's and Yates' shuffle: the same order from a seed everywhere.
def draw($below): .seed = .seed * 16807 % 2147483647 | .drawn = (.seed / 2147483647 * $below | floor);

def shuffle:
  reduce range(.order | length; 1; -1) as $i (.;
    draw($i)
    | .drawn as $k | .order[$k] as $x
    | .order[$k] = .order[$i - 1] | .order[$i - 1] = $x);

def make_plan:
  (if .reference == null then [] else [{role: "reference", cell: 0}] end) as $reference
  | {seed: .order_seed, order: [.cells[].cell | select(. > 0)], plan: []} as $start
  | .plan = (reduce range(1; .blocks + 1) as $block
      (reduce range(10) as $_ ($start; draw(1));
        shuffle
        | .plan += [$reference + [.order[] | {role: "cell", cell: .}] + $reference
            | to_entries[] | {$block, position: (.key + 1)} + .value])
    | .plan
    | [to_entries[] | {run: (.key + 1)} + .value])
  | .todo = .plan;

# The seconds that the runs from this one on will take: as long as others of their
# cell, or as was estimated, times how wrong that was so far.
def time_left($run; $times):
  (reduce .cells[] as $cell ({}; .[$cell.cell | tostring] = $cell.estimate)) as $estimate
  | (reduce $times[] as $t ({}; .[$t.cell | tostring] += [$t.seconds])) as $taken
  | ([$times[].seconds] | add // 0) as $measured
  | ([$times[].cell | $estimate[tostring]] | add // 0) as $estimated
  | [.todo[] | select(.run >= $run).cell | tostring
      | if $taken[.] then $taken[.] | add / length
        else $estimate[.] * if $estimated > 0 then $measured / $estimated else 1 end end]
  | add // 0;

def heading($text): if length == 0 then empty else $text + ":", (.[] | "  " + .) end;

def show_broken: .broken | heading("cannot be run");

def show_plan:
  (.cells[] | select(.cell > 0)
    | "  \(.cell | tostring | if length < 3 then "  \(.)"[-3:] else . end)  \(.name)"),
  (.reference | select(. != null) | "  reference: \(.text)"),
  (.left_out | unique | heading("left out")),
  ([.cells[] | select(.same) | [.name, .same[]] | join(", ")]
    | heading("come to the same settings and are run once")),
  show_broken,
  (time_left(1; []) as $left
    | "\(.plan | length) runs in blocks of \((.plan | length) / .blocks):" +
      " about \($left | show_time), until \($left | until_when)"),
  "campaign \(.campaign), order seed \(.order_seed), results go to \(.output)";

# Dry: what order the runs would have.
def show_order:
  .plan | group_by(.block)[]
  | "block \(.[0].block): " + (map(if .role == "reference" then "R" else "\(.cell)" end) | join(" "));

# ---- Runs

# Of a line of the output: a run of the campaign that came to its end.
def finished($campaign):
  fromjson? | objects
  | select(.labels.campaign == $campaign and .incomplete == false and .error == "")
  | {block: (.labels.block | tonumber), position: (.labels.position | tonumber),
     role: .labels.role, cell: .labels.cell, class: .durability.class, took: took};

def leave_todo($finished):
  .todo = [.plan[] | select([.block, .position] as $at
    | all($finished[]; [.block, .position] != $at))];

def run_calls:
  . as $sweep
  | .todo[] as $run
  | .cells[] | select(.cell == $run.cell)
  | ["announce", $run.run],
    ["serve", .store] + (if $sweep.restart_server then ["--"] + .server else [] end),
    ["do_run", .cell, .store, .name] +
      [{campaign: $sweep.campaign, block: $run.block, position: $run.position, role: $run.role,
        cell: .name, "order-seed": $sweep.order_seed} | to_entries[] | "--label=\(.key)=\(.value)"] +
      .words;

# Each cell is tried on a server with its options, which is started anew if the
# one before it had others.
def try_calls:
  .restart_server as $restart
  | foreach (.cells | to_entries[]) as {key: $at, value: $cell} ({};
      .same = (.running[$cell.store] == $cell.server) | .running[$cell.store] = $cell.server;
      (if $restart and (.same | not) then ["serve", $cell.store, "--"] + $cell.server
       else empty end),
      ["try_cell", $at, $cell.store] + $cell.words);

def announce($run; $times):
  . as $sweep
  | .plan[$run - 1] as $this
  | "[\($run)/\(.plan | length)] block \($this.block) of \(.blocks), " +
    "\(time_left($run; $times) | show_time) left: " +
    (.cells[] | select(.cell == $this.cell).name);

# A block in which the machine changed shows by its two references.
def show_drift($finished):
  $finished | map(select(.role == "reference")) | group_by(.block)[]
  | select(length == 2) | sort_by(.position)
  | select(.[0].took > 0 and .[1].took > 0)
  | (.[1].took / .[0].took) as $ratio
  | select($ratio > 1.1 or $ratio < 1 / 1.1)
  | "WARNING: the machine changed during block \(.[0].block): at its end the reference" +
    " took \($ratio | fixed(2)) times as long";

# Of two cells that promise the same durability, if there are any.
def suggest_comparison($finished):
  [$finished[] | select(.role == "cell")] as $runs
  | first(range($runs | length) as $i
      | $runs[$i] as $other
      | first($runs[:$i][] | select(.class == $other.class)) as $one
      | select($one.cell != $other.cell)
      | "  ./ubench_report compare --baseline 'cell=\($one.cell)'" +
        " --candidate 'cell=\($other.cell)'");

def summary($finished; $failed):
  .output as $output
  | "\($finished | length) of \(.plan | length) runs are in \($output); \($failed | length) failed",
    ($failed | group_by(.)[] | "  \("      \(length)"[-7:]) \(.[0])"),
    (if $failed == [] then empty else "The same command tries them again." end),
    show_broken,
    show_drift($finished),
    "",
    "  ./ubench_report tables \($output)",
    (suggest_comparison($finished) + " " + $output),
    "  ./ubench_report page \($output) >\($output | rtrimstr(".jsonl")).html";
