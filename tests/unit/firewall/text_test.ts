import assert from "node:assert/strict";
import fc from "fast-check";
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import type { Element, Ruleset } from "../../../system/core/kernel/ruleset.ts";
import { planRuleset } from "../../../system/firewall/plan.ts";
import { groupKey } from "../../../system/firewall/sets/names.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { renderLoad, renderOps } from "../../../system/core/kernel/nft/text.ts";
import { group } from "../../kit/builders/small_network.ts";

const AT = { family: "inet", table: "filter" } as const;

function elements(set: string, ...list: readonly Element[]): RulesetOp {
  return { op: "add-elements", ...AT, set, elements: list };
}

Deno.test("an element change is one nft statement", () => {
  const text = renderOps([
    elements("internet_access", { key: ["192.168.2.6", "eth1"], value: { kind: "accept" } }),
    {
      op: "delete-elements",
      ...AT,
      set: "ethernet_filter",
      elements: [{ key: ["192.168.2.6", "eth1", "02:00:00:00:00:0a"], value: { kind: "return" } }],
    },
  ]);
  assert.equal(
    text,
    'add element inet filter internet_access { 192.168.2.6 . "eth1" : accept }\n' +
      'delete element inet filter ethernet_filter { 192.168.2.6 . "eth1" . 02:00:00:00:00:0a : return }\n',
  );
});

Deno.test("a changed chain is emptied and filled again", () => {
  const text = renderOps([{
    op: "replace-rules",
    ...AT,
    chain: {
      name: "FORWARD",
      rules: [{
        comment: 'Says "no"',
        action: { kind: "drop" },
        matches: [
          { kind: "is", field: "iifname", values: ["wlan1.*"] },
          { kind: "is", field: "ip daddr", values: ["10.0.0.0/8", "192.0.2.1"], not: true },
          { kind: "in", fields: ["ip saddr", "iifname"], set: "lan_access", not: true },
        ],
      }],
    },
  }]);
  assert.equal(
    text,
    "flush chain inet filter FORWARD\n" +
      'add rule inet filter FORWARD iifname "wlan1.*" ip daddr != { 10.0.0.0/8, 192.0.2.1 } ' +
      'ip saddr . iifname != @lan_access counter drop comment "Says no"\n',
  );
});

Deno.test("a key written by its set's type keeps an interface that looks like a port", () => {
  const op: RulesetOp = {
    op: "add-elements",
    ...AT,
    set: "lan_interfaces",
    shape: { key: ["ifname"] },
    elements: [{ key: ["80"] }],
  };
  assert.equal(renderOps([op]), 'add element inet filter lan_interfaces { "80" }\n');
});

Deno.test("names, keys and chains that could say something to nft are refused", () => {
  const bad: readonly RulesetOp[] = [
    elements("x }\nflush ruleset\n", { key: ["192.0.2.1"] }),
    elements("accept", { key: ["192.0.2.1"] }),
    elements("x", { key: ['eth0" }\nflush ruleset'] }),
    elements("x", { key: ["eth0*"] }),
    elements("x", { key: ["192.0.2.1", ""] }),
    elements("x", { key: ["80"], value: { kind: "jump", chain: "a; flush ruleset" } }),
    { op: "delete-table", family: "inet; flush ruleset;", table: "filter" },
    { op: "delete-table", family: "inet", table: "a b" },
    { op: "delete-set", ...AT, set: "" },
    { op: "delete-chain", ...AT, chain: "a\n" },
  ];
  for (const op of bad) assert.throws(() => renderOps([op]), RangeError, JSON.stringify(op));
});

/** The script with its quoted texts taken out: what remains is nft's own language. */
function skeleton(script: string): string {
  return script.replace(/"[^"\n]*"/g, "Q");
}

Deno.test("no group name breaks out of the script or shares a set with another", () => {
  const label = fc.oneof(
    fc.string({ minLength: 1, maxLength: 64, unit: "binary" }),
    fc.string({ minLength: 1, maxLength: 64, unit: "grapheme" }),
    fc.constantFrom("a\n}", '"; flush ruleset; "', "x-2s", "accept", "a-b", "é", "\ud800", "\\"),
  );
  fc.assert(fc.property(fc.uniqueArray(label, { minLength: 1, maxLength: 4 }), (names) => {
    const ruleset = planRuleset({
      firewall: DEFAULT_FIREWALL,
      groups: names.map((name) => group(name)),
      devices: [],
      uplinks: ["eth0"],
      lanLinks: ["eth1"],
      accessPoints: [],
      networks: ["192.168.2.0/24"],
      lanAddress: "192.168.2.1",
      uplinkAddresses: ["203.0.113.2"],
    });
    const script = renderLoad(ruleset);
    for (const line of skeleton(script).split("\n")) {
      assert.match(line, /^[A-Za-z0-9_ @{}:;,.!=\/*-]*$/);
      assert.ok(!line.includes("flush"), line);
    }
    for (const [, comment] of script.matchAll(/comment "([^"]*)"/g)) {
      assert.ok(new TextEncoder().encode(comment).length <= 128);
    }
    const keys = names.map(groupKey);
    assert.equal(new Set(keys).size, names.length);
    for (const key of keys) assert.ok(`${key}_src_access`.length < 256);
  }));
});

Deno.test("random element keys are refused or stay inside their braces", () => {
  const part = fc.oneof(fc.string({ maxLength: 20 }), fc.ipV4(), fc.constantFrom("eth0", "1-2"));
  fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), fc.string(), (key, set) => {
    let text: string;
    try {
      text = renderOps([elements(set, { key })]);
    } catch (error) {
      assert.ok(error instanceof RangeError);
      return;
    }
    assert.match(
      text,
      /^add element inet filter [A-Za-z][\w-]* \{ ("[\w.-]+"|[\w.:\/-]+)( \. ("[\w.-]+"|[\w.:\/-]+))* \}\n$/,
    );
  }));
});

Deno.test("a load replaces its tables in one transaction and marks them as ours", () => {
  const ruleset: Ruleset = { tables: [{ family: "inet", name: "nat", sets: [], chains: [] }] };
  assert.equal(
    renderLoad(ruleset),
    'table inet nat\ndelete table inet nat\ntable inet nat {\n  comment "sluice"\n}\n',
  );
});
