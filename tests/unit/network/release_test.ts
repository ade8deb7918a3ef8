import assert from "node:assert/strict";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import { describe } from "../../../system/network/kernel/describe.ts";
import { release } from "../../../system/network/kernel/release.ts";

const FACTS: Facts = {
  links: [
    { name: "lan0", index: 2, mac: null, up: true, running: true, kind: null },
    { name: "sluice0", index: 3, mac: null, up: true, running: true, kind: "dummy" },
  ],
  addresses: [
    { link: "lo", address: "127.0.0.1/8" },
    { link: "wan0", address: "203.0.113.2/24" },
    { link: "lan0", address: "192.168.2.5/30" },
    { link: "lan0", address: "172.16.0.1/24" },
    { link: "sluice0", address: "192.168.2.1/24" },
  ],
  routes: [{ destination: "default", via: "203.0.113.1", link: "wan0", protocol: "static" }],
  neighbours: [
    { address: "192.168.2.6", link: "lan0", mac: "02:00:00:00:00:0a", permanent: true },
    { address: "192.168.2.10", link: "lan0", mac: "02:00:00:00:00:0b", permanent: false },
    { address: "172.16.0.9", link: "lan0", mac: "02:00:00:00:00:0c", permanent: true },
  ],
  forwarding: true,
  tables: [
    { family: "inet", name: "filter", comment: "sluice" },
    { family: "ip", name: "docker", comment: null },
    { family: "inet", name: "nat", comment: "mine" },
  ],
  capabilities: {
    dummy: true,
    bridge: true,
    vlan: true,
    vxlan: true,
    wireguard: true,
    flowtable: true,
  },
};

const HELD = { networks: ["192.168.2.0/24"], uplinks: ["wan0"] };

Deno.test("a release takes out what is ours and nothing else, forwarding first", () => {
  assert.deepEqual(describe(release(HELD, FACTS)), [
    "sysctl net.ipv4.ip_forward=0",
    "nft delete table inet filter",
    "ip neigh del 192.168.2.6 dev lan0",
    "ip addr del 192.168.2.5/30 dev lan0",
    "ip link del sluice0",
  ]);
});

Deno.test("a release takes what we set along, but an uplink's address", () => {
  const ours = {
    ...FACTS,
    neighbours: [],
    tables: [],
    addresses: [
      { link: "wan0", address: "203.0.113.2/24", ours: true },
      { link: "lan0", address: "10.77.0.5/30", ours: true },
      { link: "lan0", address: "10.78.0.5/30" },
    ],
  } as const;
  assert.deepEqual(describe(release(HELD, ours)), [
    "ip addr del 10.77.0.5/30 dev lan0",
    "ip link del sluice0",
  ]);
});

Deno.test("a release where nothing is ours does nothing", () => {
  const clean = { ...FACTS, links: [], addresses: [], neighbours: [], tables: [] };
  assert.deepEqual(release(HELD, clean).steps, []);
});

Deno.test("a release takes out the policyRouting to single uplinks, and leaves the main one", () => {
  const route = { table: 200, metric: 0, via: "203.0.113.1", link: "wan0" } as const;
  const rule = { kind: "mark", table: 200 } as const;
  const clean = { ...FACTS, links: [], addresses: [], neighbours: [], tables: [] };
  const facts = {
    ...clean,
    policyRouting: { routes: [route], rules: [{ kind: "local" } as const, rule] },
  };
  assert.deepEqual(describe(release(HELD, facts)), [
    "ip rule del lookup main suppress_prefixlength 0",
    "ip rule del fwmark 200 lookup 200",
    "ip route del default via 203.0.113.1 dev wan0 table 200",
  ]);
});
