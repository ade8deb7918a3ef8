import assert from "node:assert/strict";
import fc from "fast-check";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { gatewayPosition } from "../../../system/network/routing/gateway.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { anyHostileState, carry } from "../../kit/lab/hostile_leases.ts";
import { facts, FIRST, lease, LINKS, seen, two } from "../../kit/lab/leased_uplinks.ts";
import { kernel, link, network } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

Deno.test("a gateway is another host of the network, or on-link", () => {
  const position = (address: string, router: string | null, onLink: readonly string[] = []) =>
    gatewayPosition({
      address,
      router,
      routes: onLink.map((destination) => ({ destination, via: null })),
    });
  for (
    const [address, router, wanted] of [
      ["100.64.5.9/24", "100.64.5.1", "inside"],
      ["100.64.5.9/24", "100.64.5.0", null],
      ["100.64.5.9/24", "100.64.5.255", null],
      ["100.64.5.9/24", "100.64.5.9", null],
      ["100.64.5.9/24", "100.64.6.1", null],
      ["100.64.5.8/31", "100.64.5.9", "inside"],
      ["100.64.5.9/31", "100.64.5.8", "inside"],
      ["100.64.5.9/31", "100.64.5.10", null],
      ["100.64.5.9/32", "100.64.5.9", null],
      ["100.64.5.9/32", "10.0.0.1", "apart"],
      ["100.64.5.9/32", "127.0.0.1", null],
      ["100.64.5.9/32", "224.0.0.1", null],
      ["100.64.5.9/24", "x", null],
      ["100.64.5.9/24", null, null],
      ["", "100.64.5.1", null],
    ] as const
  ) assert.equal(position(address, router), wanted, `${address} ${router}`);
  assert.equal(position("100.64.5.9/24", "10.0.0.1", ["10.0.0.1/32"]), "apart");
  assert.equal(position("100.64.5.9/24", "10.0.0.1", ["0.0.0.0/0"]), null);
  assert.equal(position("100.64.5.9/24", "10.0.0.1", ["10.0.1.0/24"]), null);
});

Deno.test("a gateway outside a /32 gets a host route first", async () => {
  const config = two();
  const given = seen({ eth2: lease("10.128.0.7/32", "10.128.0.1") });
  const host = memoryHost({ links: ["eth0", "eth1", "eth2"] });
  const at = await host.facts();
  const desired = planner.desire(config, given, at);
  for (const step of planner.reconcile(desired, at).steps) await host.apply(step);
  assert.deepEqual(desired.routes, [
    { destination: "10.128.0.1/32", via: null, link: "eth2" },
    { destination: "default", via: "203.0.113.1", link: "eth0" },
  ]);
  assert.deepEqual(desired.policyRouting?.routes.at(-1), {
    ...{ table: 201, metric: 0, via: "10.128.0.1", link: "eth2" },
  });
  assert.deepEqual(planner.drift(desired, await host.facts()), []);
});

Deno.test("an on-link gateway is not used in a LAN subnet, another interface's network or for two uplinks", () => {
  const hasGateway = (router: string, first = FIRST) => {
    const config = two({
      interfaces: [
        link("eth0", "Uplink", first),
        link("eth2", "Uplink"),
        link("eth1", "Downlink"),
      ],
    });
    const from = { ...facts(), addresses: [{ link: "eth0", address: "203.0.113.2/24" }] };
    const given = seen({ eth2: lease("10.128.0.7/32", router) });
    return planner.desire(config, given, from).facts?.uplinks?.find(({ name }) => name === "eth2")
      ?.hasGateway;
  };
  assert.equal(hasGateway("10.128.0.1"), true);
  assert.equal(hasGateway("192.168.2.6"), false);
  assert.equal(hasGateway("203.0.113.77"), false);
  const both = seen({
    eth0: lease("10.128.0.8/32", "10.128.0.1"),
    eth2: lease("10.128.0.7/32", "10.128.0.1"),
  });
  const dhcp = network({}, { interfaces: [link("eth0", "Uplink"), link("eth2", "Uplink")] });
  assert.deepEqual(
    planner.desire(dhcp, both, kernel(LINKS)).facts?.uplinks?.map((one) => one.hasGateway),
    [true, false],
  );
});

Deno.test("PPPoE, DHCP and static uplinks coexist, whatever networks they share", () => {
  const config = network({}, {
    interfaces: [
      link("eth0", "Uplink", FIRST),
      link("eth2", "Uplink"),
      link("eth3", "Uplink", { Subtype: "pppup" }),
    ],
    ppp: [{
      ...{ Iface: "eth3", PPPIface: "ppp0", Enabled: true, Username: "u", Secret: "s" },
      ...{ VLAN: "", MTU: "" },
    }],
  });
  const from = kernel([...LINKS, "eth3", "ppp0"], {
    addresses: [{ link: "ppp0", address: "203.0.113.2/32" }],
  });
  const given = seen({ eth2: lease("203.0.113.2/24", "203.0.113.1") });
  const { policyRouting, facts: state } = planner.desire(config, given, from);
  assert.deepEqual(state?.uplinks?.map(({ link, hasGateway }) => [link, hasGateway]), [
    ["eth0", true],
    ["eth2", true],
    ["ppp0", true],
  ]);
  assert.deepEqual(policyRouting?.routes.map(({ table, via, link }) => `${table} ${via} ${link}`), [
    "200 203.0.113.1 eth0",
    "201 203.0.113.1 eth2",
    "202 null ppp0",
  ]);
});

Deno.test("for any leases and files, the kernel model accepts every step", async () => {
  const any = anyHostileState(["eth0", "eth2"]);
  await fc.assert(
    fc.asyncProperty(any, any, any, async (begin, end, next) => {
      const host = memoryHost({ links: ["eth0", "eth2"] });
      assert.deepEqual(await carry(host, [begin, end]), []);
      // As after a crash: what stands is of an earlier state.
      assert.deepEqual(await carry(host, [next, begin]), []);
    }),
    { numRuns: 300 },
  );
});
