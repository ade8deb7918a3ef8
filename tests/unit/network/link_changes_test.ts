import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import type { Interface } from "../../../system/network/interfaces/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();
const [TV, NAS, PHONE] = ["02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"];
const SEEN = seenOn({ [TV]: "eth1", [NAS]: "eth1", [PHONE]: "wlan1" });

function home(changes: Readonly<Record<string, Partial<Interface>>> = {}): Config {
  return network({
    [TV]: { ip: "192.168.2.6", policies: ["wan", "dns"], groups: ["media"] },
    [NAS]: { ip: "192.168.2.10", policies: ["noapi"], groups: ["media"] },
    [PHONE]: { ip: "192.168.2.14", policies: ["lan"], wifi: true },
  }, {
    groups: [{ Name: "media", Disabled: false, GroupTags: [], ServiceDestinations: [] }],
    interfaces: [
      link("eth0", "Uplink"),
      link("eth1", "Downlink", changes["eth1"]),
      link("eth2", "Downlink", changes["eth2"]),
      link("wlan1", "AP", changes["wlan1"]),
    ],
  });
}

function flips(config: Config, next: Config) {
  const facts = kernel(["lo", "eth0", "eth1", "eth2", "wlan1"]);
  const state = (one: Config) => planner.desire(one, SEEN, facts);
  const change = { before: state(config), after: state(next), config, next, observed: SEEN };
  return atOnce(planner.accessChangeSteps(change));
}

const connections = (list: ReturnType<typeof flips>["denied"]) =>
  [...new Set(list.map(({ from, to }) => `${from} > ${to}`))].sort();

const LOST = [
  `${TV} > internet`,
  `${TV} > router`,
  `${NAS} > router`,
  `${TV} > ${NAS}`,
  `${NAS} > ${TV}`,
  `${PHONE} > ${TV}`,
  `${PHONE} > ${NAS}`,
].sort();

Deno.test("devices on an interface that becomes an uplink lose all access, whatever port is left", () => {
  const { allowed, denied } = flips(home(), home({ eth1: { Type: "Uplink" } }));
  assert.deepEqual(connections(denied), LOST);
  assert.deepEqual(allowed, []);
  assert.ok(denied.every(({ reason }) => reason === "eth1 becomes a WAN uplink"));
});

Deno.test("an interface that is turned off or leaves the LAN takes its devices along", () => {
  const off = flips(home(), home({ eth1: { Enabled: false } })).denied;
  assert.deepEqual(connections(off), LOST);
  assert.equal(off[0]?.reason, "eth1 is turned off");
  const other = flips(home(), home({ eth1: { Type: "Other" } })).denied;
  assert.deepEqual(connections(other), LOST);
  assert.equal(other[0]?.reason, "eth1 no longer serves the LAN");
});

Deno.test("a radio that becomes a wired port loses its stations", () => {
  const { denied } = flips(home(), home({ wlan1: { Type: "Downlink" } }));
  assert.deepEqual(
    connections(denied),
    [`${PHONE} > router`, `${PHONE} > ${TV}`, `${PHONE} > ${NAS}`].sort(),
  );
  assert.ok(denied.every(({ reason }) => reason === "wlan1 is no longer an access point"));
});

Deno.test("devices gain access where their interface begins to serve the LAN", () => {
  const { allowed, denied } = flips(home({ eth1: { Type: "Other" } }), home());
  assert.deepEqual(connections(allowed), LOST);
  assert.deepEqual(denied, []);
});

Deno.test("an interface without devices takes nothing from anybody", () => {
  const { allowed, denied } = flips(home(), home({ eth2: { Type: "Uplink" } }));
  assert.deepEqual([allowed, denied], [[], []]);
});

Deno.test("the last uplink is named as the reason when it goes", () => {
  const before = home();
  const after = {
    ...before,
    interfaces: before.interfaces.filter(({ Type }) => Type !== "Uplink"),
  };
  const lost = flips(before, after).denied.filter(({ to }) => to === "internet");
  assert.deepEqual(lost, [{
    from: TV,
    to: "internet",
    traffic: "all",
    reason: "The router has no WAN uplink",
  }]);
});
