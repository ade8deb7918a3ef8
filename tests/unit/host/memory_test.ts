import assert from "node:assert/strict";
import type { Flow, KernelEvent } from "../../../system/core/kernel/host.ts";
import type { IpOp, RulesetOp } from "../../../system/core/kernel/plan.ts";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { pass, smallRuleset } from "../../kit/builders/small_ruleset.ts";

const IN = { family: "inet", table: "small" } as const;
const up = (name: string): IpOp => ({ op: "set-link", name, up: true });
const add = (link: string, address: string): IpOp => ({ op: "add-address", link, address });
const ip = (host: MemoryHost, ...ops: readonly IpOp[]): Promise<void> =>
  host.apply({ kind: "ip", ops });
const rules = (host: MemoryHost, ...ops: readonly RulesetOp[]): Promise<void> =>
  host.apply({ kind: "ruleset", ops });
const keys = (host: MemoryHost): readonly string[] => [
  ...host.ruleset().tables[0]!.sets[0]!.elements.keys(),
];

async function loaded(): Promise<MemoryHost> {
  const host = memoryHost();
  const ruleset = smallRuleset(["192.168.2.6", "lan0"]);
  await host.apply({ kind: "load", ruleset });
  return host;
}

Deno.test("a loaded ruleset replaces our tables", async () => {
  const host = await loaded();
  assert.deepEqual((await host.facts()).tables, [
    { family: "inet", name: "small", comment: "sluice" },
  ]);
  assert.deepEqual(host.ruleset(), smallRuleset(["192.168.2.6", "lan0"]));
});

Deno.test("a transaction with one bad operation changes nothing", async () => {
  const added = { op: "add-elements", ...IN, set: "passes" } as const;
  const bad: readonly RulesetOp[] = [
    { ...added, op: "delete-elements", elements: [pass("192.168.2.10", "lan0")] },
    { ...added, set: "nowhere", elements: [pass("192.168.2.10", "lan0")] },
    { ...added, table: "nowhere", elements: [] },
    { ...added, elements: [{ key: ["192.168.2.10"], value: { kind: "accept" } }] },
    { ...added, elements: [{ key: ["192.168.2.10", "lan0"] }] },
    { ...added, elements: [{ key: ["192.168.2.6", "lan0"], value: { kind: "drop" } }] },
    { op: "delete-set", ...IN, set: "passes" },
    { op: "delete-chain", ...IN, chain: "nowhere" },
    { op: "add-chain", ...IN, chain: { name: "FORWARD", rules: [] } },
    {
      op: "add-chain",
      ...IN,
      chain: {
        name: "X",
        rules: [{ matches: [], action: { kind: "jump", chain: "Y" }, comment: "" }],
      },
    },
  ];
  for (const op of bad) {
    const host = await loaded();
    const good: RulesetOp = { ...added, elements: [pass("192.168.2.14", "lan1")] };
    await assert.rejects(rules(host, good, op), { name: "Problem", status: 502 }, op.op);
    assert.deepEqual(keys(host), ["192.168.2.6 . lan0"]);
  }
});

Deno.test("a changed verdict is a delete and an add", async () => {
  const host = await loaded();
  const old = pass("192.168.2.6", "lan0");
  await rules(
    host,
    { op: "delete-elements", ...IN, set: "passes", elements: [old] },
    { op: "add-elements", ...IN, set: "passes", elements: [{ ...old, value: { kind: "drop" } }] },
  );
  const element = host.ruleset().tables[0]!.sets[0]!.elements.get("192.168.2.6 . lan0");
  assert.deepEqual(element?.value, { kind: "drop" });
});

Deno.test("an ip step stops at its first failing line and keeps the lines before it", async () => {
  const host = memoryHost();
  await assert.rejects(
    ip(host, up("lan0"), add("lan0", "192.168.2.5/30"), up("nowhere"), up("lan1")),
    { status: 502, message: /link set dev nowhere up.*Cannot find device/ },
  );
  const facts = await host.facts();
  assert.ok(facts.addresses.some((one) => one.address === "192.168.2.5/30"));
  assert.equal(facts.links.find((link) => link.name === "lan1")?.up, false);
});

Deno.test("an address adds and removes its connected route", async () => {
  const host = memoryHost();
  await ip(host, add("lan0", "192.168.2.5/30"), add("lan0", "192.168.2.9/30"));
  assert.equal(await host.routeTo("192.168.2.6"), null);
  await ip(host, up("lan0"));
  assert.equal(await host.routeTo("192.168.2.6"), "lan0");
  assert.equal(await host.routeTo("192.168.2.5"), "lo");
  await ip(host, { op: "delete-address", link: "lan0", address: "192.168.2.5/30" });
  assert.equal(await host.routeTo("192.168.2.6"), null);
  assert.equal(await host.routeTo("192.168.2.10"), "lan0");
});

Deno.test("a default route needs a gateway in a connected network", async () => {
  const host = memoryHost();
  const route = { destination: "default", via: "203.0.113.1", link: "wan0" };
  await assert.rejects(ip(host, { op: "replace-route", route }), /invalid gateway/);
  await ip(host, up("wan0"), add("wan0", "203.0.113.2/24"), { op: "replace-route", route });
  assert.equal(await host.routeTo("198.51.100.7"), "wan0");
  await ip(host, { op: "delete-route", route });
  assert.equal(await host.routeTo("198.51.100.7"), null);
  await assert.rejects(ip(host, { op: "delete-route", route }), /No such process/);
});

Deno.test("a link loses routes and neighbours with its last address, or when down", async () => {
  const neighbour = { address: "192.168.2.6", link: "lan0", mac: "02:00:00:00:0a:01" };
  const route = { destination: "10.0.0.0/8", via: "192.168.2.6", link: "lan0" };
  const prepare: readonly IpOp[] = [
    up("lan0"),
    add("lan0", "192.168.2.5/30"),
    { op: "replace-neighbour", neighbour },
    { op: "replace-route", route },
  ];
  for (
    const gone of [
      { op: "delete-address", link: "lan0", address: "192.168.2.5/30" },
      { op: "set-link", name: "lan0", up: false },
    ] as const
  ) {
    const host = memoryHost();
    await ip(host, ...prepare);
    assert.equal((await host.facts()).neighbours.length, 1);
    assert.equal((await host.facts()).routes.length, 2);
    await ip(host, gone);
    assert.deepEqual((await host.facts()).neighbours, []);
    assert.deepEqual((await host.facts()).routes, []);
  }
});

Deno.test("a link is created once, and only of a supported kind", async () => {
  const host = memoryHost({ capabilities: { dummy: false } });
  await assert.rejects(
    ip(host, { op: "add-link", name: "sluice0", kind: "dummy" }),
    /Unknown device type/,
  );
  await ip(host, { op: "add-link", name: "sluice0", kind: "bridge" });
  await assert.rejects(
    ip(host, { op: "add-link", name: "sluice0", kind: "bridge" }),
    /File exists/,
  );
  await ip(host, { op: "delete-link", name: "sluice0" });
  await assert.rejects(ip(host, { op: "delete-link", name: "sluice0" }), /Cannot find device/);
});

Deno.test("a step can be made to fail before, within and after it took effect", async () => {
  const ops = [up("lan0"), up("lan1")];
  const ups = async (when: "before" | "after" | number): Promise<readonly string[]> => {
    const host = memoryHost({ fail: (_step, count) => count === 1 ? { when } : null });
    await assert.rejects(ip(host, ...ops), { status: 502 });
    const { links } = await host.facts();
    return links.filter((link) => link.up && link.name !== "lo").map((link) => link.name);
  };
  assert.deepEqual(await ups("before"), []);
  assert.deepEqual(await ups(1), ["lan0"]);
  assert.deepEqual(await ups("after"), ["lan0", "lan1"]);
});

Deno.test("conntrack entries are found by any address and flushed exactly", async () => {
  const host = memoryHost();
  const flow: Flow = {
    protocol: "tcp",
    source: "192.168.2.6",
    destination: "198.51.100.7",
    sport: 40000,
    dport: 80,
    replySource: "198.51.100.7",
    replyDestination: "203.0.113.2",
    replySport: 80,
    replyDport: 40000,
  };
  const other = { ...flow, sport: 40001, replyDport: 40001 };
  host.track(flow, other);
  assert.equal((await host.flows(["203.0.113.2"])).length, 2);
  assert.equal((await host.flows(["192.168.2.66"])).length, 0);
  await host.flushFlows([{ ...flow }]);
  await host.flushFlows([flow]);
  assert.deepEqual(host.tracked(), [other]);
});

Deno.test("watchers receive link changes and foreign changes", async () => {
  const host = await loaded();
  const events: KernelEvent[] = [];
  const unwatch = host.watch((event) => events.push(event));
  await ip(host, up("lan0"));
  host.applyForeign({ kind: "ruleset", ops: [{ op: "delete-table", ...IN }] });
  unwatch();
  await ip(host, up("lan1"));
  assert.deepEqual(events, [{ kind: "link", name: "lan0" }, { kind: "ruleset" }]);
});
