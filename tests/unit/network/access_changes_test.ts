import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import {
  device,
  group,
  kernel,
  network,
  seenOn,
  type SmallDevice,
} from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b", C = "02:00:00:00:00:0c";

function home(first: Partial<SmallDevice> = {}, changes: Partial<Config> = {}): Config {
  return network({
    [A]: { ip: "192.168.2.6", ...first },
    [B]: { ip: "192.168.2.10", groups: ["kids"] },
    [C]: { ip: "192.168.2.14" },
  }, { groups: [group("kids")], ...changes });
}

function flips(before: Config, after: Config) {
  const state = (config: Config) => planner.desire(config, seenOn(), kernel());
  const change = { before: state(before), after: state(after), config: before, next: after };
  const { allowed, denied, more } = atOnce(planner.accessChangeSteps(change));
  const text = (list: typeof allowed) =>
    list.map((one) => `${one.from} > ${one.to}: ${one.traffic}`);
  return { allowed: text(allowed), denied: text(denied), more, reason: allowed[0]?.reason };
}

Deno.test("giving the Internet flips that one answer", () => {
  assert.deepEqual(flips(home(), home({ policies: ["wan"] })), {
    allowed: [`${A} > internet: all`],
    denied: [],
    more: 0,
    reason: "Allowed by policy wan",
  });
});

Deno.test("joining a group flips both directions, egress it both back", () => {
  const there = flips(home(), home({ groups: ["kids"] }));
  assert.deepEqual(there.allowed, [`${A} > ${B}: all`, `${B} > ${A}: all`]);
  assert.equal(there.reason, "Allowed by group kids");
  const back = flips(home({ groups: ["kids"] }), home());
  assert.deepEqual(back.denied, there.allowed);
  assert.deepEqual(flips(home({ groups: ["kids"] }), home({ groups: ["kids"] }, { groups: [] })), {
    allowed: [],
    denied: there.allowed,
    more: 0,
    reason: undefined,
  });
});

Deno.test("the policy lan flips one direction only", () => {
  assert.deepEqual(flips(home(), home({ policies: ["lan"] })).allowed, [
    `${A} > ${B}: all`,
    `${A} > ${C}: all`,
  ]);
});

Deno.test("a new device gains what it may do, a removed one loses it", () => {
  const bare = network({ [B]: { ip: "192.168.2.10" } });
  const full = network({
    [A]: { ip: "192.168.2.6", policies: ["dns"] },
    [B]: { ip: "192.168.2.10" },
  });
  const all = ["udp 53", "tcp 22", "tcp 80", "tcp 443", "icmp"].map((what) =>
    `${A} > router: ${what}`
  );
  assert.deepEqual(flips(bare, full).allowed, all);
  assert.deepEqual(flips(full, bare).denied, all);
});

Deno.test("a closed port of the router is lost by every device, an opened one gained by the Internet", () => {
  const port = (Port: string, UpstreamEnabled = false) => ({
    Protocol: "tcp" as const,
    Port,
    UpstreamEnabled,
    Description: "",
  });
  const ports = (...list: ReturnType<typeof port>[]): Partial<Config> => ({
    firewall: { ...DEFAULT_FIREWALL, ServicePorts: list, PingLan: true, PingWan: false },
  });
  const found = flips(home({}, ports(port("22"), port("80"))), home({}, ports(port("22", true))));
  assert.deepEqual(found.denied.toSorted(), [A, B, C].map((from) => `${from} > router: tcp 80`));
  assert.deepEqual(found.allowed, ["internet > router: tcp 22"]);
});

Deno.test("at most 200 flips are listed, the rest is counted", () => {
  const many = (policies: "lan"[]): Config =>
    network(
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [
        `02:00:00:00:01:${i.toString(16).padStart(2, "0")}`,
        { ip: `192.168.2.${4 * i + 2}`, policies },
      ])),
    );
  const found = flips(many([]), many(["lan"]));
  assert.equal(found.allowed.length, 200);
  assert.equal(found.more, 30 * 29 - 200);
});

Deno.test("nothing flips when nothing that concerns packets changes", () => {
  const before = home();
  const renamed = { ...device(A, { ip: "192.168.2.6" }), Name: "Tablet" };
  const after = { ...before, devices: { ...before.devices, [A]: renamed } };
  assert.deepEqual(flips(before, after), { allowed: [], denied: [], more: 0, reason: undefined });
});
