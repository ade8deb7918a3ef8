import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { isolationOf, POLICY_NAMES } from "../../../system/devices/policies.ts";
import type { Interface } from "../../../system/network/interfaces/schema.ts";
import { anyRules } from "./random_rules.ts";
import { group, network } from "./small_network.ts";

/** Groups of random networks: two open ones, one with a name that nft could not spell, one closed. */
const GROUPS = [group("kids"), group('Ünï"}'), group("off", { Disabled: true })];

/** Policies and groups of one device; most are neither disabled nor in quarantine. */
export const anyHoldings = fc.record({
  open: fc.subarray(POLICY_NAMES.filter((policy) => isolationOf([policy]) === undefined)),
  closing: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.subarray(POLICY_NAMES.filter((policy) => isolationOf([policy]) !== undefined)),
    },
  ),
  groups: fc.subarray(GROUPS.map((one) => one.Name)),
}).map(({ open, closing, groups }) => ({ policies: [...open, ...closing], groups }));

/** What a device holds. */
export type Holdings = typeof anyHoldings extends fc.Arbitrary<infer T> ? T : never;

/** What the router itself opens, and which groups there are. */
export const anyCommon = fc.record({
  groups: fc.subarray(GROUPS),
  ping: fc.boolean(),
  ports: fc.subarray(["22", "80", "8443"]),
  upstream: fc.boolean(),
});

const anyDevice = fc.tuple(
  anyHoldings,
  fc.integer({ min: 0, max: 20 }),
  fc.boolean(),
  fc.subarray(["nas", "tv"]),
).map(
  ([holdings, n, wifi, tags]) => ({
    ...holdings,
    wifi,
    tags,
    ip: `192.168.${n % 3}.${(n * 4) % 256 + 2}`,
  }),
);

/** The firewall document of {@link anyCommon}. */
export function firewallOf(common: {
  readonly ping: boolean;
  readonly ports: readonly string[];
  readonly upstream: boolean;
}): Config["firewall"] {
  return {
    ...DEFAULT_FIREWALL,
    PingLan: common.ping,
    PingWan: !common.ping,
    ServicePorts: common.ports.map((Port) => ({
      Protocol: "tcp",
      Port,
      UpstreamEnabled: common.upstream,
      Description: "",
    })),
  };
}

/** Whole configurations over these links. */
export function anyNetwork(links: readonly Interface[]): fc.Arbitrary<Config> {
  return fc.record({
    devices: fc.dictionary(
      fc.integer({ min: 1, max: 9 }).map((n) => `02:00:00:00:00:0${n}`),
      anyDevice,
      { maxKeys: 6 },
    ),
    common: anyCommon,
    interfaces: fc.subarray([...links]),
    nets: fc.subarray(["192.168.2.0/24", "192.168.0.0/16", "10.0.0.0/8"], { minLength: 1 }),
    rules: anyRules,
  }).map(({ devices, common, interfaces, nets, rules }) =>
    network(devices, {
      groups: common.groups,
      interfaces,
      dhcp: { TinyNets: nets, LeaseTime: "24h0m0s" },
      firewall: { ...firewallOf(common), ...rules },
    })
  );
}
