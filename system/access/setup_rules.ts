import * as z from "zod";
import type { Config } from "../config.ts";
import type { Command } from "../core/engine/change.ts";
import { InterfaceName } from "../core/net/grammar.ts";
import { parseAddress } from "../core/net/net.ts";
import { blankDevice } from "../devices/device.ts";
import type { Device } from "../devices/schema.ts";
import { Pool } from "../dhcp/schema.ts";
import { setSubnets } from "../dhcp/subnet_rules.ts";
import { DEFAULT_ADDRESSES } from "../multicast/document.ts";
import { parseGroup } from "../multicast/schema.ts";
import { setLink } from "../network/interfaces/link_rules.ts";
import { FIRST_ADMIN } from "./first_start.ts";
import { NewPassword } from "./schema.ts";

/** Body of `PUT /setup`. What existing clients send beside it has no meaning here. */
export const SetupRequest = z.object({
  /** Missing: there is no uplink yet. */
  InterfaceUplink: InterfaceName.optional(),
  AdminPassword: NewPassword,
  /** Missing: the pools stay as they are. */
  TinyNets: z.array(Pool).min(1, { error: "Name at least one network, such as 192.168.2.0/24" })
    .optional(),
});
export type SetupRequest = z.output<typeof SetupRequest>;

/** The client machine that runs setup, as far as known. */
export interface SetupMachine {
  readonly address: string | null;
  readonly mac: string | null;
}

/** Sets the admin's password and what else is named as one change. Throws Problem 400. */
export function setUp(
  request: Omit<SetupRequest, "AdminPassword">,
  given: { readonly record: string; readonly machine: SetupMachine },
): Command<Config> {
  return {
    kind: "setup",
    summary: request.InterfaceUplink === undefined
      ? "Set the password of admin"
      : `Set up the router with the uplink ${request.InterfaceUplink}`,
    reduce: (config) => {
      const { InterfaceUplink, TinyNets } = request;
      const users = { ...config.users, [FIRST_ADMIN]: given.record };
      const [pools] = TinyNets ? setSubnets(config, { ...config.dhcp, TinyNets }) : [config];
      const next = withUplink({ ...pools, users }, InterfaceUplink);
      return [keepApiAccess(next, given.machine), undefined];
    },
  };
}

function withUplink(config: Config, name: string | undefined): Config {
  if (name === undefined) return config;
  const link = { Name: name, Type: "Uplink", Subtype: "ethernet", Enabled: true } as const;
  const [linked] = setLink(config, link);
  return linked;
}

/**
 * Finishes setup: the client keeps API access, mDNS and SSDP are reflected, and no service is open to
 * the WAN. `again`: setup was done before, so nothing is changed.
 */
export function finishSetup(
  given: {
    readonly machine: SetupMachine;
    readonly uplinkAddresses: readonly string[];
    readonly again: boolean;
  },
): Command<Config> {
  return {
    kind: "setup.done",
    summary: "Finished the setup",
    reduce: (config) => [
      given.again
        ? config
        : openMulticast(closeUpstream(keepApiAccess(config, given.machine), given)),
      undefined,
    ],
  };
}

/** Reflects the default groups, opens their ports to the LAN only, and announces no mDNS name. */
function openMulticast(config: Config): Config {
  const { firewall, multicast } = config;
  const MulticastPorts = DEFAULT_ADDRESSES.flatMap(({ Address }) => {
    const group = parseGroup(Address);
    return group === null ? [] : [{ Port: String(group.port), Upstream: false }];
  });
  return {
    ...config,
    firewall: { ...firewall, MulticastPorts },
    multicast: { ...multicast, Addresses: [...DEFAULT_ADDRESSES], DisableMDNSAdvertise: true },
  };
}

/** Takes `noapi` off the machine's device, or makes the device without it. */
function keepApiAccess(config: Config, { address, mac }: SetupMachine): Config {
  const found = Object.entries(config.devices).find(([, device]) =>
    (mac !== null && device.MAC === mac) || (address !== null && device.RecentIP === address)
  );
  const put = (identity: string, device: Device): Config => ({
    ...config,
    devices: { ...config.devices, [identity]: device },
  });
  if (!found) return mac === null ? config : put(mac, blankDevice(mac));
  const [identity, device] = found;
  if (!device.Policies.includes("noapi")) return config;
  return put(identity, {
    ...device,
    Policies: device.Policies.filter((policy) => policy !== "noapi"),
  });
}

function closeUpstream(
  config: Config,
  { uplinkAddresses }: { readonly uplinkAddresses: readonly string[] },
): Config {
  const { firewall } = config;
  const open = firewall.ServicePorts.some(({ UpstreamEnabled }) => UpstreamEnabled);
  if (!open || !uplinkAddresses.some(isPublic)) return config;
  const ServicePorts = firewall.ServicePorts.map((port) => ({ ...port, UpstreamEnabled: false }));
  return { ...config, firewall: { ...firewall, ServicePorts } };
}

// RFC 1918, loopback, link-local (RFC 3927), shared address space (RFC 6598): first bits and length.
const PRIVATE: readonly (readonly [number, bigint])[] = [
  [8, 10n],
  [12, 0xac1n],
  [16, 0xc0a8n],
  [8, 127n],
  [16, 0xa9fen],
  [10, 0x191n],
];

/** True for a public IPv4 address. */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (address?.family !== 4) return false;
  return !PRIVATE.some(([bits, prefix]) => address.value >> BigInt(32 - bits) === prefix);
}
