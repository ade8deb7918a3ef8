import assert from "node:assert/strict";
import { leasingInterfaces } from "../../../system/dhcp/leasing_interfaces.ts";
import { createDhcpFeed } from "../../../system/dhcp/feed.ts";
import { link, network } from "../../kit/builders/small_network.ts";

const CARD = "02:00:00:00:00:0a";

const home = link("eth1", "Downlink");

Deno.test("leasing continues while the kernel cannot be changed, and stops where nothing is applied", () => {
  const config = { ...network({}), interfaces: [home] };
  const observed = { devices: {} };
  for (const state of ["applied", "broken"] as const) {
    const engine = { config, observed, network: { state, detail: null } };
    assert.deepEqual(leasingInterfaces(engine as never).lan, ["eth1"], state);
  }
  for (const state of ["model", "blocked", "released"] as const) {
    const engine = { config, observed, network: { state, detail: null } };
    assert.deepEqual(leasingInterfaces(engine as never).lan, [], state);
  }
});

Deno.test("a device's VLAN tag adds the VLAN interface to dhcpd's snapshot at once", async () => {
  const trunk = { ...home, Subtype: "VLAN-Trunk" };
  const before = { ...network({ [CARD]: { ip: "192.168.2.6" } }), interfaces: [trunk] };
  const engine = {
    config: before,
    observed: { devices: {} },
    network: { state: "applied", detail: null },
  };
  const ending = new AbortController();
  const snapshot = createDhcpFeed({
    engine: engine as never,
    bus: { subscribe: () => () => {} } as never,
    ending: ending.signal,
    serveAnyway: () => [],
  });
  assert.deepEqual((await snapshot("")).links, ["eth1"]);
  const device = before.devices[CARD]!;
  engine.config = { ...before, devices: { [CARD]: { ...device, VLANTag: "30" } } };
  assert.deepEqual((await snapshot("")).links, ["eth1", "eth1.30"]);
  ending.abort();
});
