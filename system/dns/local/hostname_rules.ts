import type { Config } from "../../config.ts";
import { conflict, invalid, notFound } from "../../core/errors/problem.ts";
import { localNames, unicastNames } from "./local_names.ts";
import { routerLanAddresses } from "../config/rules.ts";
import { type HostMapping, MAX_HOSTNAMES } from "../config/schema.ts";

/** What is sent to give a name an address, and under which condition. */
export interface HostnameChange {
  readonly IPAddress: string;
  /** Only where this is the address now. */
  readonly PreviousIPAddress?: string | undefined;
  /** Only where the name has no address yet. */
  readonly CreateOnly?: boolean | undefined;
}

/** Top-level domain that a name without a dot lies in. */
const LOCAL_SUFFIX = ".lan";

/** The whole name that is asked for: one of a single label lies in the domain of home. */
export function qualifiedName(hostname: string): string {
  return hostname.includes(".") ? hostname : `${hostname}${LOCAL_SUFFIX}`;
}

/** Where names come from. */
type Names = Pick<Config, "hostnames" | "devices" | "dhcp">;

/**
 * What this name leads to, as the resolver tells it: the router itself (`own`: the names under which it
 * answers), else what somebody gave it, else the device that is called so. Throws Problem 404.
 */
export function hostnameOf(
  config: Names,
  hostname: string,
  own: Iterable<string>,
): HostMapping {
  const found = resolvedName(config, hostname, own);
  if (found === undefined) throw notFound(`Nobody gave ${hostname} an address`);
  return found;
}

function mappingOf(
  { hostnames }: Pick<Names, "hostnames">,
  hostname: string,
): HostMapping | undefined {
  return hostnames.find(({ Hostname }) => Hostname === hostname);
}

function resolvedName(
  { devices, hostnames, dhcp }: Names,
  hostname: string,
  own: Iterable<string>,
): HostMapping | undefined {
  const found = localNames({
    devices,
    hostnames: hostnames.map(({ Hostname, IPAddress }) => ({
      name: qualifiedName(Hostname),
      address: IPAddress,
    })),
    routerNames: unicastNames(own),
    lanAddress: routerLanAddresses({ dhcp })[0] ?? null,
  }).find(({ name }) => name === qualifiedName(hostname));
  return found && { Hostname: hostname, IPAddress: found.address };
}

/** The same name in its other spelling. */
function twinOf({ hostnames }: Names, hostname: string): HostMapping | undefined {
  return hostnames.find(({ Hostname }) =>
    Hostname !== hostname && qualifiedName(Hostname) === qualifiedName(hostname)
  );
}

function isRouterName(hostname: string, own: Iterable<string>): boolean {
  return [...own].some((name) => qualifiedName(name.toLowerCase()) === qualifiedName(hostname));
}

/**
 * Gives a name an address. Throws Problem 400 for two conditions at once, 409 where a condition does
 * not hold, the name stands there in its other spelling, or is one of the router itself (`own`), which
 * nothing else takes.
 */
export function setHostname(
  config: Config,
  hostname: string,
  { IPAddress, PreviousIPAddress, CreateOnly, own }: HostnameChange & {
    readonly own: Iterable<string>;
  },
): readonly [Config, HostMapping] {
  if (isRouterName(hostname, own)) {
    throw conflict(`${hostname} is a name of this router; choose another`);
  }
  if (PreviousIPAddress !== undefined && CreateOnly) {
    throw invalid("/CreateOnly", "Name the address before, or ask for a new name, not both");
  }
  const before = resolvedName(config, hostname, own);
  if (before !== undefined && CreateOnly) {
    throw conflict(`${hostname} has the address ${before.IPAddress} already`);
  }
  if (PreviousIPAddress !== undefined && before?.IPAddress !== PreviousIPAddress) {
    throw conflict(
      before === undefined
        ? `${hostname} has no address any more`
        : `${hostname} has the address ${before.IPAddress} meanwhile`,
    );
  }
  const twin = twinOf(config, hostname);
  if (twin !== undefined) throw conflict(`${twin.Hostname} is the same name; change that`);
  const decided = mappingOf(config, hostname);
  if (decided?.IPAddress === IPAddress) return [config, decided];
  const rest = config.hostnames.filter((other) => other !== decided);
  if (rest.length >= MAX_HOSTNAMES) {
    throw conflict(`There are ${MAX_HOSTNAMES} names, as many as there may be`);
  }
  const mapping = { Hostname: hostname, IPAddress };
  return [{ ...config, hostnames: sorted([...rest, mapping]) }, mapping];
}

/**
 * Takes a name away that somebody gave. `address`: only where it is this one. Throws Problem 404, and
 * 409 where it is not, or the router or a device is called so.
 */
export function deleteHostname(
  config: Config,
  hostname: string,
  { address, own }: { readonly address: string | undefined; readonly own: Iterable<string> },
): readonly [Config, void] {
  const decided = mappingOf(config, hostname);
  const before = decided ?? hostnameOf(config, hostname, own);
  if (address !== undefined && before.IPAddress !== address) {
    throw conflict(`${hostname} has the address ${before.IPAddress} meanwhile`);
  }
  if (decided === undefined && isRouterName(hostname, own)) {
    throw conflict(`${hostname} is a name of this router`);
  }
  const twin = twinOf(config, hostname);
  if (twin !== undefined) throw conflict(`${twin.Hostname} is the same name; take that away`);
  if (decided === undefined) {
    throw conflict(`The device at ${before.IPAddress} is called so; give it another name`);
  }
  return [
    { ...config, hostnames: config.hostnames.filter((other) => other !== decided) },
    undefined,
  ];
}

/** Throws Problem 409 for a name that somebody gave an address: the router would take it silently. */
export function refuseTakenName(config: Pick<Config, "hostnames">, routerName: string): void {
  const whole = qualifiedName(routerName.toLowerCase());
  const found = config.hostnames.find(({ Hostname }) => qualifiedName(Hostname) === whole);
  if (found === undefined) return;
  throw conflict(
    `${found.Hostname} leads to ${found.IPAddress}, as somebody decided; take that name away first`,
  );
}

/** The mappings in the order of their names. */
export function sorted(mappings: readonly HostMapping[]): readonly HostMapping[] {
  return [...mappings].sort((a, b) => a.Hostname < b.Hostname ? -1 : 1);
}
