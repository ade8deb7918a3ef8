#!/bin/sh
# Run by udhcpc at each event: tells it as one line of JSON and changes nothing. udhcpc writes these
# values itself; of addresses, numbers and domains only the letters that they may have are told.
clean() { printf '%s' "$1" | tr -cd '0-9. /'; }
words() { printf '%s' "$1" | tr -cd 'A-Za-z0-9. _-' | cut -c 1-1024; }
printf '{"event":"%s","ip":"%s","mask":"%s","router":"%s","dns":"%s","lease":"%s","mtu":"%s",' \
  "$(printf '%s' "$1" | tr -cd 'a-z')" "$(clean "$ip")" "$(clean "$mask")" "$(clean "$router")" \
  "$(clean "$dns")" "$(clean "$lease")" "$(clean "$mtu")"
printf '"routes":"%s","search":"%s","domain":"%s"}\n' \
  "$(clean "$staticroutes")" "$(words "$search")" "$(words "$domain")"
