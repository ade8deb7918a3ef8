#!/bin/sh
# What busybox' udhcpc calls in a lab client: puts the lease on the interface.
case "$1" in
  bound | renew)
    ip -4 addr flush dev "$interface"
    ip addr add "$ip/$mask" dev "$interface"
    ip route replace default via "$router" dev "$interface"
    ;;
esac
