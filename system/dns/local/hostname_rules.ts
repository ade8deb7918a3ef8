import type { Config } from "../../config.ts";
import { conflict, invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { localNames, unicastNames } from "./local_names.ts";
import { routerLanAddresses } from "../config/rules.ts";
import { type HostMapping, MAX_HOSTNAMES } from "../config/schema.ts";

/** The body that creates or changes a local DNS record, with preconditions. */
export interface HostnameChange {
  readonly IPAddress: string;
  /** Only if this is the current address. */
  readonly PreviousIPAddress?: string | undefined;
  /** Only if the name has no address yet. */
  readonly CreateOnly?: boolean | undefined;
}

/** The domain of names without a dot. */
const LOCAL_SUFFIX = ".lan";

/** The full name: a single label gets the local domain. */
export function qualifiedName(hostname: string): string {
  return hostname.includes(".") ? hostname : `${hostname}${LOCAL_SUFFIX}`;
}

/** The parts of the configuration with names. */
type Names = Pick<Config, "hostnames" | "devices" | "dhcp">;

/**
 * The address that a name resolves to: of the router (`own`: its names), else of the local DNS record,
 * else of the device with that name. Throws Problem 404.
 */
export function hostnameOf(
  config: Names,
  hostname: string,
  own: Iterable<string>,
): HostMapping {
  const found = resolvedName(config, hostname, own);
  if (found === undefined) throw notFound(sentence("{hostname} has no address", { hostname }));
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

/** The record of the same name with or without its domain. */
function twinOf({ hostnames }: Names, hostname: string): HostMapping | undefined {
  return hostnames.find(({ Hostname }) =>
    Hostname !== hostname && qualifiedName(Hostname) === qualifiedName(hostname)
  );
}

function isRouterName(hostname: string, own: Iterable<string>): boolean {
  return [...own].some((name) => qualifiedName(name.toLowerCase()) === qualifiedName(hostname));
}

/**
 * Creates or changes a local DNS record. Throws Problem 400 for two preconditions at once, 409 where one
 * fails, the name exists with or without its domain, or is one of the router (`own`).
 */
export function setHostname(
  config: Config,
  hostname: string,
  { IPAddress, PreviousIPAddress, CreateOnly, own }: HostnameChange & {
    readonly own: Iterable<string>;
  },
): readonly [Config, HostMapping] {
  if (isRouterName(hostname, own)) {
    throw conflict(sentence("{hostname} is a name of this router; choose another", { hostname }));
  }
  if (PreviousIPAddress !== undefined && CreateOnly) {
    throw invalid("/CreateOnly", "Send PreviousIPAddress or CreateOnly, not both");
  }
  const before = resolvedName(config, hostname, own);
  if (before !== undefined && CreateOnly) {
    throw conflict(
      sentence("{hostname} already has the address {address}", {
        hostname,
        address: before.IPAddress,
      }),
    );
  }
  if (PreviousIPAddress !== undefined && before?.IPAddress !== PreviousIPAddress) {
    throw conflict(
      before === undefined
        ? `${hostname} no longer has an address`
        : `${hostname} now has the address ${before.IPAddress}`,
    );
  }
  const twin = twinOf(config, hostname);
  if (twin !== undefined) {
    throw conflict(
      sentence("{hostname} is the same name; change that record", { hostname: twin.Hostname }),
    );
  }
  const record = mappingOf(config, hostname);
  if (record?.IPAddress === IPAddress) return [config, record];
  const rest = config.hostnames.filter((other) => other !== record);
  if (rest.length >= MAX_HOSTNAMES) {
    throw conflict(
      sentence("There are already {limit} local DNS records, the maximum", {
        limit: MAX_HOSTNAMES,
      }),
    );
  }
  const mapping = { Hostname: hostname, IPAddress };
  return [{ ...config, hostnames: sorted([...rest, mapping]) }, mapping];
}

/**
 * Deletes a local DNS record. `address`: only if it is this one. Throws Problem 404, and 409 where it is
 * not, or the name is of the router or a device.
 */
export function deleteHostname(
  config: Config,
  hostname: string,
  { address, own }: { readonly address: string | undefined; readonly own: Iterable<string> },
): readonly [Config, void] {
  const record = mappingOf(config, hostname);
  const before = record ?? hostnameOf(config, hostname, own);
  if (address !== undefined && before.IPAddress !== address) {
    throw conflict(
      sentence("{hostname} now has the address {address}", { hostname, address: before.IPAddress }),
    );
  }
  if (record === undefined && isRouterName(hostname, own)) {
    throw conflict(sentence("{hostname} is a name of this router", { hostname }));
  }
  const twin = twinOf(config, hostname);
  if (twin !== undefined) {
    throw conflict(
      sentence("{hostname} is the same name; delete that record", { hostname: twin.Hostname }),
    );
  }
  if (record === undefined) {
    throw conflict(
      sentence("It is the name of the device at {address}; rename the device", {
        address: before.IPAddress,
      }),
    );
  }
  return [
    { ...config, hostnames: config.hostnames.filter((other) => other !== record) },
    undefined,
  ];
}

/** Throws Problem 409 for the name of a local DNS record, which the router would shadow. */
export function refuseRecordName(config: Pick<Config, "hostnames">, routerName: string): void {
  const whole = qualifiedName(routerName.toLowerCase());
  const found = config.hostnames.find(({ Hostname }) => qualifiedName(Hostname) === whole);
  if (found === undefined) return;
  throw conflict(
    sentence("{hostname} is a local DNS record of {address}; delete it first", {
      hostname: found.Hostname,
      address: found.IPAddress,
    }),
  );
}

/** Records sorted by name. */
export function sorted(mappings: readonly HostMapping[]): readonly HostMapping[] {
  return [...mappings].sort((a, b) => a.Hostname < b.Hostname ? -1 : 1);
}
