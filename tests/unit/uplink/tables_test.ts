import assert from "node:assert/strict";
import fc from "fast-check";
import type { Observations } from "../../../system/core/engine/change.ts";
import { parseUplinks } from "../../../system/core/engine/files/uplink_observations.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { uplinkTables, withTables } from "../../../system/network/routing/uplink_paths.ts";
import { link } from "../../kit/builders/small_network.ts";
import { facts, FIRST, lease, rulesOf, seen, two } from "../../kit/lab/leased_uplinks.ts";

const planner = networkPlanner();

const NONE: Observations = { devices: {} };

function uplinks(...names: readonly string[]) {
  return { interfaces: names.map((name) => link(name, "Uplink")) };
}

function tables(config: Parameters<typeof uplinkTables>[0], observed = NONE): unknown {
  return Object.fromEntries(uplinkTables(config, observed));
}

/** What is kept once these configurations were in force, one after the other. */
function after(...lists: readonly (readonly string[])[]): Observations {
  return lists.reduce((observed, names) => withTables(uplinks(...names), observed), NONE);
}

Deno.test("new uplinks get routing tables from 200 on, in their order", () => {
  assert.deepEqual(tables(uplinks("a", "b", "c")), { a: 200, b: 201, c: 202 });
  const mixed = { interfaces: [link("lan", "Downlink"), link("a", "Uplink", { Enabled: false })] };
  assert.deepEqual(tables(mixed), { a: 200 });
});

Deno.test("an uplink keeps its routing table when another one is removed, restored or put before it", () => {
  assert.deepEqual(tables(uplinks("b"), after(["a", "b"])), { b: 201 });
  assert.deepEqual(tables(uplinks("c", "b"), after(["a", "b"], ["b"])), { c: 202, b: 201 });
  const back = after(["a", "b"], ["b"], ["c", "b"]);
  assert.deepEqual(tables(uplinks("a", "b", "c"), back), { a: 200, b: 201, c: 202 });
});

Deno.test("routing tables survive a restart, and an invalid one is replaced without affecting others", () => {
  const kept = JSON.parse(JSON.stringify(after(["a", "b"], ["b"]).uplinks));
  assert.deepEqual(
    tables(uplinks("b", "c"), { devices: {}, uplinks: parseUplinks(kept)! }),
    { b: 201, c: 202 },
  );
  for (const table of [199, 240, 201.5, -1, "200", null, 201]) {
    const raw = { ...kept, a: { lease: null, down: false, table } };
    const read = { devices: {}, uplinks: parseUplinks(raw)! };
    assert.deepEqual(tables(uplinks("b", "a"), read), { b: 201, a: 200 }, String(table));
  }
});

Deno.test("with all routing tables assigned, a new uplink gets that of the one longest gone", () => {
  const all = Array.from({ length: 40 }, (_, at) => `w${at}`);
  assert.equal(uplinkTables(uplinks(...all, "more"), NONE).has("more"), false);
  const kept = after(all, all.slice(2));
  const next = uplinks(...all.slice(2), "new");
  assert.equal(uplinkTables(next, kept).get("new"), 200);
  const later = withTables(next, kept);
  assert.equal(later.uplinks!["w0"]!.table, undefined);
  const returns = uplinks("w0", ...all.slice(2), "new");
  assert.equal(uplinkTables(returns, later).get("new"), 200);
  assert.equal(uplinkTables(returns, later).get("w0"), 201);
});

Deno.test("interfaces named like Object.prototype properties work", () => {
  const names = ["constructor", "toString", "valueOf"];
  assert.deepEqual(after(names).uplinks?.["toString"], { lease: null, down: false, table: 201 });
  assert.deepEqual(tables(uplinks(...names.toReversed()), after(names)), {
    ...{ constructor: 200, toString: 201, valueOf: 202 },
  });
});

Deno.test("no remaining uplink ever changes its routing table", () => {
  const name = fc.constantFrom(...Array.from({ length: 45 }, (_, at) => `w${at}`));
  const list = fc.uniqueArray(name, { maxLength: 45 });
  fc.assert(fc.property(fc.array(list, { minLength: 2, maxLength: 12 }), (lists) => {
    let observed = NONE;
    let before: ReadonlyMap<string, number> = new Map();
    for (const names of lists) {
      const now = uplinkTables(uplinks(...names), observed);
      assert.equal(new Set(now.values()).size, now.size, "each has its own");
      assert.equal(now.size, Math.min(names.length, 40));
      assert.ok([...now.values()].every((table) => table >= 200 && table <= 239));
      for (const [one, table] of before) {
        if (names.includes(one)) assert.equal(now.get(one), table);
      }
      observed = withTables(uplinks(...names), observed);
      assert.equal(withTables(uplinks(...names), observed), observed, "settled once");
      assert.deepEqual(uplinkTables(uplinks(...names), observed), now);
      before = now;
    }
  }));
});

Deno.test("removing an earlier uplink leaves marks, rules and routes of later ones unchanged", () => {
  const config = two({
    interfaces: [
      link("eth0", "Uplink", FIRST),
      link("eth2", "Uplink"),
      link("eth1", "Uplink", { DisableDHCP: true, IP: "198.51.100.2/24", Router: "198.51.100.1" }),
    ],
  });
  const settled = withTables(config, seen());
  const next = { ...config, interfaces: config.interfaces.slice(1) };
  const [was, will] = [config, next].map((one) => planner.desire(one, settled, facts()));
  const later = (table: number | "main") => table === 201 || table === 202;
  for (const desired of [was!, will!]) {
    assert.deepEqual(desired.policyRouting?.routes.filter(({ table }) => later(table)), [
      { table: 201, metric: 0, via: "100.64.5.1", link: "eth2" },
      { table: 202, metric: 0, via: "198.51.100.1", link: "eth1" },
    ]);
  }
  const lines = planner.describe(planner.diff(was!, will!));
  assert.deepEqual(
    lines.filter((line) => /^ip (rule|route)/.test(line) && /20[12]/.test(line)),
    [],
  );
});

Deno.test("a connection older than the marks is marked by its address", () => {
  assert.deepEqual(
    rulesOf(two()).filter((line) => /ct (reply|original) ip daddr/.test(line))
      .map((line) => line.replace(/ counter ct mark set (\d+) comment .*$/, " -> $1")),
    [
      "ct reply ip daddr 203.0.113.2 -> 200",
      "ct state established,related ct original ip daddr 203.0.113.2 -> 200",
      "ct reply ip daddr 100.64.5.9 -> 201",
      "ct state established,related ct original ip daddr 100.64.5.9 -> 201",
    ],
  );
  const same = seen({ eth2: lease("203.0.113.2/24", "203.0.113.1") });
  assert.deepEqual(rulesOf(two(), same).filter((line) => /ip daddr 203/.test(line)), []);
});
