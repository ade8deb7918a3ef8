import type { Service, Settings } from "../core/process/settings.ts";

/** A Debian package that is needed, and what for: the words that the operator reads. */
export interface Need {
  readonly name: string;
  readonly reason: string;
}

/** What netd needs to hold the kernel's network. */
const NETWORK: readonly Need[] = [
  { name: "nftables", reason: "loads the firewall rules" },
  { name: "libnftables1", reason: "changes single rules without starting a process" },
  { name: "iproute2", reason: "sets addresses, routes and neighbours" },
  { name: "conntrack", reason: "ends running connections when access is taken away" },
  { name: "procps", reason: "switches forwarding on and off (sysctl)" },
];

/** What each further process needs; those that are not part of this version need nothing yet. */
const SERVICE_NEEDS: Readonly<Partial<Record<Service, readonly Need[]>>> = {
  uplinkd: [
    { name: "udhcpc", reason: "asks providers for addresses" },
    { name: "ppp", reason: "dials access accounts (PPPoE)" },
    { name: "curl", reason: "measures the speed of uplinks" },
    { name: "procps", reason: "finds running connections again (ps)" },
  ],
};

/** The packages that these settings call for. Without a network and services: none. */
export function neededPackages(settings: Pick<Settings, "network" | "services">): readonly Need[] {
  const needs = [
    ...(settings.network === "off" ? [] : NETWORK),
    ...settings.services.flatMap((service) => SERVICE_NEEDS[service] ?? []),
  ];
  return needs.filter((need, at) => needs.findIndex(({ name }) => name === need.name) === at);
}

/**
 * Names of installed packages in the output of `dpkg-query -W -f '${Package} ${Status}\n'`, which
 * also lists removed packages whose settings remain.
 */
export function installedPackages(output: string): ReadonlySet<string> {
  return new Set(
    output.split("\n")
      .filter((line) => line.endsWith(" install ok installed"))
      .map((line) => line.slice(0, line.indexOf(" "))),
  );
}

/** The arguments of `apt-get` that bring these packages without asking anything. */
export function aptArguments(names: readonly string[]): readonly string[] {
  return [
    "install",
    "--yes",
    "--no-install-recommends",
    // Another installation may be under way.
    "-o",
    "DPkg::Lock::Timeout=300",
    // A settings file that someone changed stays as it is.
    "-o",
    "Dpkg::Options::=--force-confold",
    ...names,
  ];
}
