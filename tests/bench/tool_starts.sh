#!/bin/bash
# Starts a tool for each line of the first pipe, its words between tabs, and answers on the second
# pipe how many microseconds that took and its exit status. A shell is small: what starts a process
# from a large one would measure the copy of its page tables. Arguments: the folder of the pipes.
exec 3<>"$1/request" 4<>"$1/answer"
echo ready
while IFS=$'\t' read -r -a words <&3; do
  began=${EPOCHREALTIME/[.,]/}
  "${words[@]}" </dev/null >/dev/null 2>"$1/error"
  status=$?
  ended=${EPOCHREALTIME/[.,]/}
  echo "$((ended - began)) $status" >&4
done
