import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Observations, UplinkObservation } from "../../../system/core/engine/change.ts";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { kernel, link, network } from "../../kit/builders/small_network.ts";
import {
  facts,
  FIRST,
  lease,
  LEASED,
  LINKS,
  rulesOf,
  seen,
  two,
} from "../../kit/lab/leased_uplinks.ts";

const planner = networkPlanner();

Deno.test("a lease becomes address, route and MTU of the uplink", () => {
  const one = network({}, { interfaces: [link("eth2", "Uplink"), link("eth1", "Downlink")] });
  const desired = planner.desire(one, seen(), facts());
  assert.deepEqual(desired.addresses.filter((each) => each.link === "eth2"), [
    { link: "eth2", address: "100.64.5.9/24", mayBeThere: true },
  ]);
  assert.deepEqual(desired.routes, [{ destination: "default", via: "100.64.5.1", link: "eth2" }]);
  assert.equal(desired.links.find(({ name }) => name === "eth2")?.mtu, 1400);
  assert.equal(desired.policyRouting, undefined, "one uplink needs no tables");
  assert.deepEqual(desired.ruleset.tables.map(({ name }) => name), [
    "filter",
    "nat",
    "accounting",
  ]);
});

Deno.test("an unusable lease is ignored: a LAN subnet, no gateway, a gateway elsewhere", () => {
  const one = network({}, { interfaces: [link("eth2", "Uplink"), link("eth1", "Downlink")] });
  const routes = (given: UplinkObservation) => {
    const desired = planner.desire(one, seen({ eth2: given }), facts());
    return [desired.routes.length, desired.addresses.some((each) => each.link === "eth2")];
  };
  assert.deepEqual(routes(lease("192.168.2.77/24", "192.168.2.1")), [0, false]);
  assert.deepEqual(routes(lease("192.168.0.9/16", "192.168.0.1")), [0, false]);
  assert.deepEqual(routes(lease("100.64.5.9/24", null)), [0, true]);
  assert.deepEqual(routes(lease("100.64.5.9/24", "100.64.6.1")), [0, true]);
  assert.deepEqual(routes(lease("100.64.5.9/24", "100.64.5.9")), [0, true]);
});

Deno.test("a default route without gateway leads to the link itself", () => {
  const given = lease("100.64.5.9/32", null);
  const routes = [{ destination: "0.0.0.0/0", via: null }];
  const onLink = { ...given, lease: { ...given.lease!, routes } };
  const desired = planner.desire(
    network({}, { interfaces: [link("eth2", "Uplink"), link("eth1", "Downlink")] }),
    seen({ eth2: onLink }),
    facts(),
  );
  assert.deepEqual(desired.routes, [{ destination: "default", via: null, link: "eth2" }]);
  assert.deepEqual(
    planner.desire(two(), seen({ eth2: onLink }), facts()).policyRouting?.routes.at(-1),
    { table: 201, metric: 0, via: null, link: "eth2" },
  );
});

Deno.test("two uplinks have a table, rules and a mark each, and share new connections", () => {
  const desired = planner.desire(two(), seen(), facts());
  assert.deepEqual(desired.routes, [{ destination: "default", via: "203.0.113.1", link: "eth0" }]);
  assert.deepEqual(desired.policyRouting?.routes, [
    { table: 200, metric: 0, via: "203.0.113.1", link: "eth0" },
    { table: 201, metric: 0, via: "100.64.5.1", link: "eth2" },
  ]);
  assert.deepEqual(desired.policyRouting?.rules, [
    { kind: "local" },
    { kind: "link", link: "eth0", table: 200 },
    { kind: "source", address: "203.0.113.2", table: 200 },
    { kind: "mark", table: 200 },
    { kind: "link", link: "eth2", table: 201 },
    { kind: "source", address: "100.64.5.9", table: 201 },
    { kind: "mark", table: 201 },
  ]);
  const [first, second, spread] = rulesOf(two());
  assert.match(first!, /^iifname "eth0" ct state new ct mark 0 counter ct mark set 200 /);
  assert.match(second!, /^iifname "eth2" ct state new ct mark 0 counter ct mark set 201 /);
  assert.match(spread!, /jhash ip saddr \. ip daddr mod 2 map \{ 0 : 200, 1 : 201 \}/);
  const wan = { ...DEFAULT_UPLINK_SETTINGS, Balance: "source" } as const;
  assert.match(rulesOf(two({ wan }))[2]!, /jhash ip saddr mod 2 /);
  assert.match(
    rulesOf(two({ wan: { ...DEFAULT_UPLINK_SETTINGS, Balance: "off" } }))[2]!,
    /ct mark set 200 /,
  );
});

Deno.test("an uplink without a carrier, or down, gets no new connections while another is up", () => {
  const unplugged = facts((name) => name === "eth0" ? { running: false } : {});
  const other = [{ destination: "default", via: "100.64.5.1", link: "eth2" }];
  assert.deepEqual(planner.desire(two(), seen(), unplugged).routes, other);
  assert.match(rulesOf(two(), seen(), unplugged)[2]!, /counter ct mark set 201 /);
  const dead = seen({ eth0: { lease: null, down: true }, ...LEASED });
  const desired = planner.desire(two(), dead, facts());
  assert.deepEqual(desired.routes, other);
  assert.equal(desired.policyRouting?.routes.length, 2, "it must be queried still");
  const kept = two({
    wan: { ...DEFAULT_UPLINK_SETTINGS, Balance: "pair", FailoverEnabled: false },
  });
  assert.match(rulesOf(kept, dead)[2]!, /mod 2 /, "unless failover is off");
  const both = seen({ eth0: { lease: null, down: true }, eth2: { ...LEASED.eth2, down: true } });
  assert.match(rulesOf(two(), both)[2]!, /mod 2 /, "where all are dead none is worse");
});

Deno.test("failover changes one rule only", () => {
  const before = planner.desire(two(), seen(), facts());
  const dead = seen({ eth2: { ...LEASED.eth2, down: true } });
  const lines = planner.describe(planner.diff(before, planner.desire(two(), dead, facts())));
  assert.ok(lines.every((line) => / inet mangle /.test(line)), lines.join("\n"));
});

Deno.test("a PPPoE uplink uses the interface that its account creates", () => {
  const account = {
    ...{ Iface: "eth2", PPPIface: "ppp0", Enabled: true, Username: "u", Secret: "s" },
    ...{ VLAN: "7", MTU: "" },
  };
  const config = network({}, {
    interfaces: [link("eth2", "Uplink", { Subtype: "pppup" }), link("eth1", "Downlink")],
    ppp: [account],
  });
  const from = kernel([...LINKS, "ppp0"], {
    addresses: [{ link: "ppp0", address: "198.18.0.9/32" }],
  });
  const desired = planner.desire(config, { devices: {} }, from);
  assert.deepEqual(desired.routes, [{ destination: "default", via: null, link: "ppp0" }]);
  assert.deepEqual(desired.links.find(({ name }) => name === "eth2.7"), {
    ...{ name: "eth2.7", create: "vlan", vlan: { parent: "eth2", tag: 7 }, up: true },
  });
  const text = renderLoad(desired.ruleset);
  assert.match(text, /uplink_interfaces \{\s+type ifname\s+elements = \{ "eth2", "ppp0" \}/);
  const before = planner.desire(config, { devices: {} }, kernel(LINKS));
  assert.deepEqual(before.routes, [], "before it is dialled there is no way");
});

Deno.test("a trunk has a VLAN interface for each tag that devices have", () => {
  const config = network({ "02:00:00:00:00:0a": { ip: "192.168.2.6" } }, {
    interfaces: [link("eth1", "Downlink", { Subtype: "VLAN-Trunk" })],
  });
  const [[identity, device]] = Object.entries(config.devices) as [
    [string, Config["devices"][string]],
  ];
  const tagged = { ...config, devices: { [identity]: { ...device, VLANTag: "30" } } };
  const desired = planner.desire(tagged, { devices: {} }, kernel(["lo", "eth1", "eth1.30"]));
  assert.deepEqual(desired.links.map(({ name }) => name), ["sluice0", "eth1", "eth1.30"]);
  assert.deepEqual(desired.neighbours.map((one) => one.link), ["eth1.30"]);
  const without = kernel(["lo", "eth1"]);
  const lacking = { ...without, capabilities: { ...without.capabilities, vlan: false } };
  const links = planner.desire(tagged, { devices: {} }, lacking).links;
  assert.deepEqual(links.map(({ name }) => name), ["sluice0", "eth1"]);
});

Deno.test("a MAC address is set while the interface is down, and its routes are restored", () => {
  const from = facts();
  const before = planner.desire(two(), seen(), from);
  const MACOverride = "02:00:00:00:0a:01";
  const changed = two({
    interfaces: [
      link("eth0", "Uplink", { ...FIRST, MACOverride }),
      link("eth2", "Uplink"),
      link("eth1", "Downlink"),
    ],
  });
  const after = planner.desire(changed, seen(), from);
  assert.deepEqual(planner.describe(planner.diff(before, after)), [
    "ip link set eth0 down",
    `ip link set eth0 address ${MACOverride}`,
    "ip link set eth0 up",
    "ip route replace default via 203.0.113.1 dev eth0",
    "ip route replace default via 203.0.113.1 dev eth0 table 200",
  ]);
  const own = facts((name) => name === "eth0" ? { permanentMac: "02:00:00:00:00:77" } : {});
  const back = planner.diff(after, planner.desire(two(), seen(), own));
  assert.ok(planner.describe(back).includes("ip link set eth0 address 02:00:00:00:00:77"));
});

Deno.test("additional addresses are set, their gateways after every other", () => {
  const config = network({}, {
    interfaces: [link("eth0", "Uplink", {
      ...FIRST,
      AdditionalIPs: [
        { IP: "198.51.100.9/24", Router: "198.51.100.1" },
        { IP: "203.0.113.77", Router: "" },
      ],
    })],
  });
  const desired = planner.desire(config, { devices: {} }, facts());
  assert.deepEqual(
    desired.addresses.filter((one) => one.link === "eth0").map((one) => one.address),
    [
      ...["203.0.113.2/24", "198.51.100.9/24", "203.0.113.77/32"],
    ],
  );
  assert.deepEqual(desired.policyRouting, {
    routes: [{ table: "main", metric: 100, via: "198.51.100.1", link: "eth0" }],
    rules: [],
  });
});

const anyUplink = fc.record({
  enabled: fc.boolean(),
  fixed: fc.boolean(),
  leased: fc.boolean(),
  down: fc.boolean(),
  running: fc.boolean(),
  extra: fc.boolean(),
  behind: fc.subarray(["203.0.113.128/25", "198.51.0.0/16", "192.88.99.0/24", "192.168.0.0/16"]),
});

Deno.test("between any two states of two uplinks, the kernel model accepts every step", async () => {
  type Any = readonly [typeof anyUplink, typeof anyUplink] extends
    readonly [fc.Arbitrary<infer A>, fc.Arbitrary<infer B>] ? readonly [A, B] : never;
  const NETS = ["203.0.113", "100.64.5"];
  const stateOf = (pair: Any): { readonly config: Config; readonly observed: Observations } => ({
    config: network({}, {
      interfaces: [
        ...pair.map((one, at) =>
          link(`eth${at * 2}`, "Uplink", {
            Enabled: one.enabled,
            ...(one.fixed
              ? { DisableDHCP: true, IP: `${NETS[at]}.2/24`, Router: `${NETS[at]}.1` }
              : {}),
            AdditionalIPs: one.extra ? [{ IP: `198.51.${at}.9/24`, Router: `198.51.${at}.1` }] : [],
          })
        ),
        link("eth1", "Downlink"),
      ],
    }),
    observed: seen(Object.fromEntries(
      pair.map((one, at) => [
        `eth${at * 2}`,
        {
          ...(one.leased ? lease(`${NETS[at]}.9/24`, `${NETS[at]}.1`) : lease("", null)),
          down: one.down,
          ownMtu: 1500,
          behind: one.behind.map((destination) => ({ destination, via: `${NETS[at]}.1` })),
        },
      ]).map(([name, one]) => {
        const { lease, behind, ...given } = one as UplinkObservation & {
          readonly behind: NonNullable<NonNullable<UplinkObservation["lease"]>["routes"]>;
        };
        const none = lease === null || lease.address === "";
        return [name, { ...given, lease: none ? null : { ...lease, routes: behind } }];
      }),
    )),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(anyUplink, anyUplink),
      fc.tuple(anyUplink, anyUplink),
      async (a, b) => {
        const host = memoryHost({ links: ["eth0", "eth1", "eth2"] });
        const begin = stateOf(a), end = stateOf(b);
        const at = await host.facts();
        const first = planner.desire(begin.config, begin.observed, at);
        for (const step of planner.reconcile(first, at).steps) await host.apply(step);
        const then = await host.facts();
        const again = planner.desire(begin.config, begin.observed, then);
        for (const step of planner.diff(first, again).steps) await host.apply(step);
        const last = planner.desire(end.config, end.observed, then);
        for (const step of planner.diff(again, last).steps) await host.apply(step);
        const stands = await host.facts();
        const left = planner.reconcile(last, stands).steps
          .flatMap((step): readonly IpOp[] => step.kind === "ip" ? step.ops : [])
          .filter(({ op }) => op !== "set-loose-rp-filter");
        assert.deepEqual(left, []);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("an interface with the role Other is left alone, unless a state was set", () => {
  const linksOf = (more: Parameters<typeof link>[2]) =>
    planner.desire(
      network({}, { interfaces: [link("eth0", "Other", more)] }),
      { devices: {} },
      facts(),
    ).links.filter(({ name }) => name === "eth0").map(({ up }) => up);
  assert.deepEqual(linksOf({ Enabled: false }), []);
  assert.deepEqual(linksOf({ Enabled: true }), []);
  assert.deepEqual(linksOf({ Enabled: false, State: "up" }), [true]);
  assert.deepEqual(linksOf({ State: "down" }), [false]);
});

Deno.test("a MAC address that differs at the start is set, with the routes of its interface", async () => {
  const MACOverride = "02:00:00:00:0a:01";
  const config = two({
    interfaces: [
      link("eth0", "Uplink", { ...FIRST, MACOverride }),
      link("eth2", "Uplink"),
      link("eth1", "Downlink"),
    ],
  });
  const host = memoryHost({ links: ["eth0", "eth1", "eth2"] });
  const without = planner.desire(two(), seen(), await host.facts());
  for (const step of planner.reconcile(without, await host.facts()).steps) await host.apply(step);
  const at = await host.facts();
  const wanted = planner.desire(config, seen(), at);
  for (const step of planner.reconcile(wanted, at).steps) await host.apply(step);
  const stands = await host.facts();
  assert.equal(stands.links.find(({ name }) => name === "eth0")?.mac, MACOverride);
  assert.deepEqual(planner.drift(wanted, stands), []);
});
