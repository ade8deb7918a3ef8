import assert from "node:assert/strict";
import { leasingInterfaces } from "../../../system/dhcp/leasing_interfaces.ts";
import { createDhcpFeed } from "../../../system/dhcp/feed.ts";
import type { DesiredNeighbour } from "../../../system/core/kernel/desired.ts";
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
    desired: { neighbours: [] },
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

Deno.test("dhcpd is sent a lease that was withdrawn at once, and new ones together", async () => {
  const [NEW, OTHER] = ["02:00:00:00:00:0b", "02:00:00:00:00:0c"];
  const before = {
    ...network({ [CARD]: { ip: "192.168.2.6" }, [OTHER]: { ip: "" } }),
    interfaces: [home],
  };
  const engine = {
    config: before,
    observed: { devices: {} as Record<string, { link: string | null }> },
    desired: { neighbours: [] as readonly DesiredNeighbour[] },
    network: { state: "applied", detail: null },
  };
  const ending = new AbortController();
  const poll = createDhcpFeed({
    engine: engine as never,
    bus: { subscribe: () => () => {} } as never,
    ending: ending.signal,
    serveAnyway: () => [],
  });
  let known = (await poll("")).tag;
  let paths: readonly (string | null)[] = [];
  const waiting: Promise<unknown>[] = [];
  /** Whether a change of devices, or of where they are, is sent without waiting for others. */
  const isAtOnce = async (
    devices: Partial<typeof before.devices>,
    seen: typeof engine.observed.devices = {},
    neighbours = engine.desired.neighbours,
  ): Promise<boolean> => {
    engine.desired = { neighbours };
    const members = Object.entries({ ...engine.config.devices, ...devices });
    engine.config = {
      ...engine.config,
      devices: Object.fromEntries(
        members.flatMap(([name, one]) => one === undefined ? [] : [[name, one]]),
      ),
    };
    engine.observed = { devices: { ...engine.observed.devices, ...seen } };
    let sent: string | null = null;
    waiting.push(
      poll(known).then(({ tag, leases }) => {
        sent = tag;
        paths = leases.map(({ path }) => path);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 0));
    known = sent ?? known;
    return sent !== null;
  };
  const device = before.devices[CARD]!;
  const on = (link: string | null) => ({ [CARD]: { link } });
  assert.equal(
    await isAtOnce({ [NEW]: { ...device, MAC: NEW, RecentIP: "192.168.2.10" } }),
    false,
    "new",
  );
  assert.equal(
    await isAtOnce({ [OTHER]: { ...device, MAC: OTHER, RecentIP: "192.168.2.14" } }),
    false,
    "first",
  );
  assert.equal(await isAtOnce({ [CARD]: { ...device, Policies: ["wan"] } }), false, "a policy");
  assert.equal(await isAtOnce({}, { [NEW]: { link: "eth1" } }), true, "seen on another interface");
  assert.equal(await isAtOnce({}, on("eth1")), true);
  assert.equal(await isAtOnce({}, on("eth1")), false, "seen again");
  const [own, other] = ["eth1", "eth2"].map((link) => ({
    address: "192.168.2.6",
    mac: CARD,
    link,
  }));
  const first = { address: "192.168.2.22", mac: "02:00:00:00:00:0d", link: "eth2" };
  assert.equal(await isAtOnce({}, {}, [own!]), true, "the kernel has the interface");
  assert.deepEqual(paths, ["eth1", null, null]);
  assert.equal(await isAtOnce({}, {}, [{ ...own! }, first]), false, "of a device without a lease");
  assert.equal(await isAtOnce({}, {}, []), false, "the interface is gone");
  assert.equal(await isAtOnce({}, {}, [own!]), false, "it is back");
  assert.equal(await isAtOnce({}, {}, [other!]), true, "the path leads elsewhere");
  assert.deepEqual(paths, ["eth2", null, null]);
  assert.equal(await isAtOnce({ [CARD]: { ...device, RecentIP: "192.168.2.18" } }), true);
  assert.equal(paths[0], null, "the path is that of the former address");
  assert.equal(
    await isAtOnce({ [CARD]: { ...device, RecentIP: "192.168.2.18", VLANTag: "3" } }),
    true,
  );
  assert.equal(await isAtOnce({ [CARD]: undefined }), true, "deleted");
  engine.config = { ...engine.config, dhcp: { ...engine.config.dhcp, LeaseTime: "2h0m0s" } };
  assert.equal(await isAtOnce({}), true, "settings of all leases");
  ending.abort();
  await Promise.all(waiting);
});
