import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { desire } from "../../../system/network/plan.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { derive } from "../../../system/core/config/memo.ts";
import type { CellAnswer } from "../../../system/reach/cell_answers.ts";
import { PairMemory } from "../../../system/reach/pair_answers.ts";
import { reachMatrix, reachMatrixSteps } from "../../../system/reach/matrix.ts";
import type { ReachMatrix } from "../../../system/reach/matrix_schema.ts";
import { block, endpoint, firewallWith, forward } from "../../kit/builders/firewall_rules.ts";
import { anyHoldings, anyNetwork, type Holdings } from "../../kit/builders/random_network.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

function matrix(config: Config, ids = Object.keys(config.devices)): ReachMatrix {
  return reachMatrix(ids, { config, desired: desire(config, seenOn(), kernel()) }, planner);
}

/** What one party may open to another: its extent and the reason. */
function cell(found: ReachMatrix, from: string, to: string): string {
  const at = (party: string) =>
    found.classes.findIndex(({ kind, members }) => kind === party || members.includes(party));
  const number = found.cells[at(from)]![at(to)]!;
  return number < 0 ? "self" : found.answers[number]!.access;
}

const id = (n: number) => `02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;
const ip = (n: number) => `192.168.${2 + (n >> 6)}.${(n & 63) * 4 + 2}`;

Deno.test("the matrix distinguishes everything, part, nothing and denied", () => {
  const found = matrix(network({
    [id(1)]: { ip: ip(1), policies: ["wan", "dns"], groups: ["kids"] },
    [id(2)]: { ip: ip(2), policies: [], groups: ["kids"] },
    [id(3)]: { ip: ip(3), policies: ["lan"] },
    [id(4)]: { ip: ip(4), policies: ["quarantine"] },
    [id(5)]: { ip: ip(5), disabled: true },
    [id(6)]: { ip: ip(6), tags: ["nas"] },
  }, {
    groups: [group("kids")],
    firewall: firewallWith({
      ForwardingBlockRules: [block(ip(3), ip(2))],
      ForwardingRules: [forward("8080", ip(1), "80")],
      Endpoints: [endpoint("nas", ip(2), "445", ["nas"])],
    }),
  }));
  assert.equal(cell(found, id(1), id(2)), "everything");
  assert.equal(cell(found, id(1), id(3)), "nothing");
  assert.equal(cell(found, id(3), id(1)), "everything");
  assert.equal(cell(found, id(3), id(2)), "part", "tcp is blocked, the rest is not");
  assert.equal(cell(found, id(3), id(4)), "denied");
  assert.equal(cell(found, id(3), id(5)), "denied");
  assert.equal(cell(found, id(6), id(2)), "part");
  assert.equal(cell(found, id(1), "internet"), "everything");
  assert.equal(cell(found, id(2), "internet"), "nothing");
  assert.equal(cell(found, id(4), "internet"), "denied");
  assert.equal(cell(found, id(1), "router"), "everything");
  assert.equal(cell(found, id(2), "router"), "part");
  assert.equal(cell(found, "internet", id(2)), "nothing");
  assert.equal(cell(found, "internet", id(1)), "part");
  assert.equal(cell(found, id(1), id(1)), "self");
});

Deno.test("a rule about ports and protocols opens or takes a part, wherever its ports begin and end", () => {
  type Blocked = readonly ["tcp" | "udp", string];
  const blocked = (...rules: readonly Blocked[]) =>
    matrix(network({
      [id(1)]: { ip: ip(1), policies: ["lan"] },
      [id(2)]: { ip: ip(2), policies: ["lan"] },
    }, {
      firewall: firewallWith({
        ForwardingBlockRules: rules.map(([Protocol, port]) => ({
          ...block(ip(1), ip(2), port),
          Protocol,
        })),
      }),
    }));
  const access = (...rules: readonly Blocked[]) => cell(blocked(...rules), id(1), id(2));
  assert.equal(access(), "everything");
  for (const port of ["1", "9", "443", "65535", "5-65535", "1-65534", "10-65535", "1-8"]) {
    assert.equal(access(["tcp", port]), "part", port);
    assert.equal(access(["tcp", port], ["udp", port]), "part", port);
  }
  assert.equal(access(["tcp", "1-8"], ["tcp", "10-65535"], ["udp", "1-65535"]), "part");
});

Deno.test("devices that are alike share a row, and are computed with another of them", () => {
  const alike = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [id(n + 1), { ip: ip(n + 1), groups: ["kids"] }]),
  );
  const found = matrix(
    network({ ...alike, [id(60)]: { ip: ip(60) } }, { groups: [group("kids")] }),
  );
  assert.deepEqual(found.classes.map(({ members }) => members.length), [50, 1, 0, 0]);
  assert.deepEqual(found.classes[0]!.groups, ["kids"]);
  assert.equal(cell(found, id(1), id(2)), "everything");
});

Deno.test("folding changes no answer: computed alone, each pair gives the same, for random rules", () => {
  fc.assert(
    fc.property(anyNetwork([link("eth0", "Uplink"), link("eth1", "Downlink")]), (config) => {
      const state = { config, desired: desire(config, seenOn(), kernel()) };
      const ids = Object.keys(config.devices);
      const all = reachMatrix(ids, state, planner);
      for (const from of ids) {
        for (const to of [...ids.filter((other) => other !== from), "internet", "router"]) {
          // The members in another order: other ones stand for the class.
          const pair = ids.includes(to) ? [to, from] : [from];
          const alone = reachMatrix(pair, state, planner);
          assert.equal(cell(all, from, to), cell(alone, from, to), `${from} ${to}`);
        }
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("a hundred devices that all differ stand alone, and a thousand alike ones in eight classes", () => {
  const names = Array.from({ length: 7 }, (_, n) => `group ${n}`);
  const differ = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      id(n + 1),
      { ip: ip(n + 1), groups: names.filter((_, bit) => n >> bit & 1), policies: ["wan" as const] },
    ]),
  );
  const nets = { dhcp: { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" } };
  const large = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [
      `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${
        (n & 255).toString(16).padStart(2, "0")
      }`,
      { ip: ip(n + 1), groups: names.filter((_, bit) => n % 8 === bit) },
    ]),
  );
  const classes = [differ, large].map((devices) => {
    const config = network(devices, { groups: names.map((name) => group(name)), ...nets });
    const state = { config, desired: desire(config, seenOn(), kernel()) };
    const ids = Object.keys(devices);
    return reachMatrix(ids, state, planner).classes.map(({ members }) => members.length);
  });
  // The Internet and the router are classes without devices.
  assert.deepEqual(classes[0], [...Array(100).fill(1), 0, 0]);
  assert.deepEqual(classes[1], [...Array(8).fill(125), 0, 0]);
});

Deno.test("a matrix names no device in words that hold for several, and pairs keep their group", () => {
  const found = matrix(network({
    [id(1)]: { ip: ip(1), policies: ["wan"], groups: ["kids", "office"] },
    [id(2)]: { ip: ip(2), policies: ["wan"], groups: ["kids"] },
    [id(3)]: { ip: ip(3), policies: ["wan"], groups: ["office"] },
    [id(4)]: { ip: ip(4), policies: ["wan"], groups: ["guests"] },
  }, { groups: [group("kids"), group("office"), group("guests")] }));
  const reason = (from: number, to: number) => found.answers[found.cells[from]![to]!]!.reason;
  assert.match(reason(0, 1), /group kids/);
  assert.match(reason(2, 0), /group office/);
  assert.equal(cell(found, id(2), id(3)), "nothing");
  assert.equal(cell(found, id(4), id(1)), "nothing");
  for (const { reason } of found.answers) assert.doesNotMatch(reason, /02:00/);
});

/** A thousand devices in two hundred groups, no two alike, with these rules. */
function crowd(rules: Partial<Config["firewall"]> = {}): Config {
  const groups = Array.from({ length: 200 }, (_, n) => `g${n}`);
  return network(
    Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [crowdMac(n), {
      ip: ip(n),
      policies: n % 2 ? ["wan", "dns"] : ["wan"],
      groups: [groups[n % 200]!, groups[(n * 7 + (n >> 3)) % 200]!],
    }])),
    {
      groups: groups.map((name) => group(name)),
      dhcp: { ...network({}).dhcp, TinyNets: ["192.168.0.0/16"] },
      firewall: firewallWith(rules),
    },
  );
}

const crowdMac = (n: number) =>
  `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${
    (n & 255).toString(16).padStart(2, "0")
  }`;

/** The matrix with the number of packets that were traced for it, at most in one step and in all. */
function counted(
  config: Config,
  { memory = new PairMemory<CellAnswer>(), facts = kernel(), seen = seenOn() } = {},
) {
  const state = { config, desired: planner.desire(config, seen, facts) };
  const counter = { traces: 0 };
  const counting = {
    ...planner,
    trace: (...args: Parameters<typeof planner.trace>) => {
      counter.traces++;
      return planner.trace(...args);
    },
  };
  const steps = reachMatrixSteps(Object.keys(config.devices), state, {
    tracer: counting,
    memory,
  });
  let [most, before] = [0, 0];
  for (let step = steps.next();; step = steps.next()) {
    most = Math.max(most, counter.traces - before);
    before = counter.traces;
    if (step.done) return { found: step.value, most, all: counter.traces };
  }
}

/** The configuration after one device got these policies and groups. */
function changed(config: Config, identity: string, { policies, groups }: Holdings): Config {
  const device = { ...config.devices[identity]!, Policies: policies, Groups: groups };
  return { ...config, devices: derive(config.devices, { [identity]: device }) };
}

Deno.test("what is kept of the last matrix changes no answer, for random rules and changes", () => {
  const [facts, seen] = [kernel(), seenOn()];
  const networks = anyNetwork([link("eth0", "Uplink"), link("eth1", "Downlink")]);
  const changes = fc.array(fc.tuple(fc.nat(), anyHoldings), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(networks, changes, (first, list) => {
      const ids = Object.keys(first.devices);
      const memory = new PairMemory<CellAnswer>();
      const found = (config: Config, known?: PairMemory<CellAnswer>) =>
        reachMatrix(ids, { config, desired: planner.desire(config, seen, facts) }, planner, known);
      found(first, memory);
      let config = first;
      for (const [n, holdings] of ids.length === 0 ? [] : list) {
        config = changed(config, ids[n % ids.length]!, holdings);
        assert.deepEqual(found(config, memory), found(config));
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("after a change of one device the next matrix traces pairs with it alone", () => {
  const memory = new PairMemory<CellAnswer>();
  const facts = kernel(), seen = seenOn();
  const rules = {
    ForwardingBlockRules: Array.from({ length: 300 }, (_, n) => block(ip(n), ip(999 - n))),
  };
  const config = crowd(rules);
  const first = counted(config, { memory, facts, seen });
  const next = changed(config, crowdMac(7), { policies: ["dns"], groups: ["g7"] });
  const second = counted(next, { memory, facts, seen });
  assert.ok(second.all < first.all / 3, `${second.all} after ${first.all}`);
  assert.deepEqual(second.found, counted(next).found);
});

Deno.test("a thousand devices in two hundred groups, no two alike, are computed in short steps", () => {
  const { found, most, all } = counted(crowd());
  assert.ok(found.classes.length > 900, String(found.classes.length));
  assert.ok(most < 200, `${most} traces in one step`);
  assert.ok(all < 50_000, `${all} traces for a million pairs`);
});

Deno.test("forwards and blocks between devices do not make each pair a question of its own", () => {
  const rules = {
    ForwardingRules: Array.from(
      { length: 300 },
      (_, n) => forward(String(2000 + n), ip(n), "80"),
    ),
    ForwardingBlockRules: Array.from({ length: 300 }, (_, n) => block(ip(n), ip(999 - n))),
  };
  const { found, all } = counted(crowd(rules));
  assert.ok(all < 60_000, `${all} traces for a million pairs`);
  assert.equal(cell(found, crowdMac(1), crowdMac(0)), "nothing");
  // Both are in the group g0, and a block of tcp stands between two of such pairs.
  const shared = (n: number, other: number) => cell(found, crowdMac(n), crowdMac(other));
  assert.equal(shared(400, 200), "everything");
  const blocked = counted(crowd({ ForwardingBlockRules: [block(ip(400), ip(200))] })).found;
  assert.equal(cell(blocked, crowdMac(400), crowdMac(200)), "part");
  assert.equal(cell(blocked, crowdMac(600), crowdMac(200)), "everything");
});
