#!/bin/sh
# Run by udhcpc at each event: tells it as one line of JSON and changes nothing. udhcpc writes these
# values itself, as addresses and numbers; whatever else a server sends is not told.
clean() { printf '%s' "$1" | tr -cd '0-9. '; }
printf '{"event":"%s","ip":"%s","mask":"%s","router":"%s","dns":"%s","lease":"%s","mtu":"%s"}\n' \
  "$(printf '%s' "$1" | tr -cd 'a-z')" "$(clean "$ip")" "$(clean "$mask")" "$(clean "$router")" \
  "$(clean "$dns")" "$(clean "$lease")" "$(clean "$mtu")"
