#!/bin/sh
# What ISC dhclient calls in a lab client: puts the lease on the interface.
case "$reason" in
  BOUND | REBOOT | RENEW | REBIND)
    ip -4 addr flush dev "$interface"
    ip addr add "$new_ip_address/$new_subnet_mask" dev "$interface"
    ip route replace default via "$new_routers" dev "$interface"
    ;;
  PREINIT) ip link set "$interface" up ;;
esac
