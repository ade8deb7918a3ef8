import type { Lab } from "./lab.ts";

/** Addresses that the provider leases to the router, as `ip` shows them. */
export const LEASED = /inet 203\.0\.113\.[5-9]\d\/24/;

/** Lets the provider lease addresses on the uplink, by a stock server, until the lab is closed. */
export function leaseUplinks(lab: Lab): void {
  lab.spawn("wan", "dnsmasq", [
    ...["--keep-in-foreground", "--no-resolv", "--no-hosts", "--port=0", "--user=root"],
    ...["--conf-file=/dev/null", "--leasefile-ro", "--log-facility=-", "--dhcp-authoritative"],
    ...["--interface=wan0", "--bind-interfaces", "--dhcp-range=203.0.113.50,203.0.113.90,10m"],
  ]);
}
