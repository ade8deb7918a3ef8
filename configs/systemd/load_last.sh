#!/bin/sh
# Loads a saved ruleset of Sluice, if there is one and if it is nothing else: only the tables `inet filter`,
# `inet nat`, `inet mangle` and `ip accounting`, or `inet geo_block`, as Sluice renders them, each deleted and defined
# anew, and elements that were added or deleted since, without any statement that reads a
# file or touches other tables. A last line that a power cut left in part is left out: no change is
# answered before its line is on the disk. Usage: load_last.sh FILE. `--check` before the file only checks it.
set -eu
check=no
if [ "$1" = --check ]; then
	check=yes
	shift
fi
[ -e "$1" ] || exit 0

# Read once: what is checked is what is loaded. The dot shows whether the last line is whole. What the
# disk had no time to write reads as zeros, which the shell would drop.
checked=$({ tr '\000' '\001' <"$1" && echo .; } | awk '
function refuse(why) {
	print "line " NR ": " why > "/dev/stderr"
	refused = 1
	exit 1
}
$0 == "." { whole = 1; next }
depth == 0 && "filter" in defined && (index($0, "\001") || /\.$/) { torn = 1 }
torn {
	if (/^(delete )?t/) refuse("a table that was cut short")
	print "line " NR " was cut short, and is left out" > "/dev/stderr"
	next
}
{ line[++lines] = $0 }
/^#/ { next }
{
	text = $0
	if (index(text, "\001")) refuse("a part that was never written")
	# What stands in quotes is a name or a comment, whatever it says.
	gsub(/"[^"]*"/, "q", text)
	if (text ~ /["\\$#`]/) refuse("a character that no rule of Sluice has")
	if (text ~ /(^|[^A-Za-z0-9_])(include|define|redefine|undefine|table[ \t].*table)([^A-Za-z0-9_]|$)/)
		refuse("a statement that no ruleset of Sluice has")
}
depth == 0 {
	if (text ~ /^(delete )?table (inet (filter|nat|mangle|geo_block)|ip accounting)$/) next
	# What was changed after the rules were written.
	if (text ~ /^(add|delete) element (inet (filter|nat|mangle)|ip accounting) [A-Za-z][A-Za-z0-9_-]* \{[^{};]*\}(; (add|delete) element (inet (filter|nat|mangle)|ip accounting) [A-Za-z][A-Za-z0-9_-]* \{[^{};]*\})*$/)
		next
	if (text !~ /^table (inet (filter|nat|mangle|geo_block)|ip accounting) \{$/) refuse("not a table of Sluice")
	split(text, words, " ")
	defined[words[3]] = 1
	depth = 1
	next
}
depth == 1 {
	if (text == "}") { depth = 0; next }
	if (text ~ /^  comment q$/) next
	if (text !~ /^  (set|map|chain) [A-Za-z][A-Za-z0-9_-]* \{$/) refuse("not a set, a map or a chain")
	chain = text ~ /^  chain /
	depth = 2
	next
}
{
	if (text == "  }") { depth = 1; next }
	if (text !~ /^    [a-z]/) refuse("not a rule")
	hook = chain && text ~ /^    type [a-z]+ hook [a-z]+ priority -?[0-9]+; policy [a-z]+;$/
	if (text ~ /;/ && !hook) refuse("more than one statement")
	rest = text
	gsub(/\{[^{}]*\}/, "", rest)
	if (rest ~ /[{}]/) refuse("braces that do not match")
}
END {
	if (refused) exit 1
	if (!whole && !torn || depth != 0 || !("filter" in defined) && !("geo_block" in defined)) {
		print "it is not complete" > "/dev/stderr"
		exit 1
	}
	for (at = 1; at <= lines; at++) print line[at]
}')
[ "$check" = yes ] || printf '%s\n' "$checked" | nft -f -
