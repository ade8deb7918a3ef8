import assert from "node:assert/strict";
import type { Finding } from "../../../system/core/kernel/host.ts";
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import type { NftSet, Table } from "../../../system/core/kernel/ruleset.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { compareTable, LARGE_SET } from "../../../system/host/nft/compare.ts";
import { hooksOf, type ListedTable, parseListing } from "../../../system/host/nft/listing.ts";
import { load, transact } from "../../../system/host/memory/rules.ts";
import { Mirror } from "../../../system/host/kernel/mirror.ts";
import { pass, smallRuleset } from "../../kit/builders/small_ruleset.ts";

const [TABLE] = smallRuleset(["192.168.2.6", "lan0"]).tables;
const RULES = [
  'ct state established,related counter accept comment "Answers come back"',
  'counter ip saddr . iifname vmap @passes comment "Devices that may pass"',
];

function listing(
  elements: string,
  rules: readonly string[] = RULES,
  hook = "type filter hook forward priority 0; policy drop;",
): ListedTable {
  const [listed] = parseListing([
    "table inet small {",
    '\tcomment "sluice"',
    "\tmap passes {",
    "\t\ttype ipv4_addr . ifname : verdict",
    ...(elements === "" ? [] : [`\t\telements = { ${elements} }`]),
    "\t}",
    "",
    "\tchain FORWARD {",
    ...(hook === "" ? [] : [`\t\t${hook}`]),
    ...rules.map((rule) => `\t\t${rule}`),
    "\t}",
    "}",
    "",
  ].join("\n"));
  return listed!;
}

function compare(listed: ListedTable | null, table: Table = TABLE!): readonly Finding[] {
  const written = listing("", RULES, "");
  return compareTable({ table, written, listed, isRestrictive, counts: new Map() });
}

Deno.test("a loaded table has no findings, whatever nft's formatting", () => {
  assert.deepEqual(compare(listing('192.168.2.6 . "lan0" : accept')), []);
  const two = smallRuleset(["192.168.2.6", "lan0"], ["192.168.2.10", "lan1"]).tables[0]!;
  const broken = '192.168.2.10 . "lan1" : accept,\n\t\t\t     192.168.2.6 . "lan0" : accept';
  assert.deepEqual(compare(listing(broken), two), []);
});

Deno.test("an extra element is urgent, a missing one is not", () => {
  const map = "map inet small passes";
  assert.deepEqual(compare(listing('192.168.2.66 . "lan0" : accept')), [
    { what: map, expected: '192.168.2.6 . "lan0" : accept', found: null, urgent: false },
    { what: map, expected: null, found: '192.168.2.66 . "lan0" : accept', urgent: true },
  ]);
  const other = compare(listing('192.168.2.6 . "lan0" : drop'));
  assert.deepEqual(other.map(({ found }) => found), [null, '192.168.2.6 . "lan0" : drop']);
});

Deno.test("a missing block is urgent, an extra one is not", () => {
  const set: NftSet = {
    name: "api_block",
    key: ["ipv4_addr"],
    elements: new Map([["192.168.2.6", { key: ["192.168.2.6"] }]]),
  };
  const table: Table = { family: "inet", name: "small", sets: [set], chains: [] };
  const list = (elements: string) =>
    parseListing(
      `table inet small {\n\tset api_block {\n\t\ttype ipv4_addr${elements}\n\t}\n}\n`,
    )[0]!;
  const found = compareTable({
    table,
    written: list(""),
    listed: list("\n\t\telements = { 192.168.2.7 }"),
    isRestrictive,
    counts: new Map(),
  });
  assert.deepEqual(found.map(({ expected, urgent }) => [expected, urgent]), [
    ["192.168.2.6", true],
    [null, false],
  ]);
});

Deno.test("networks and ranges compare equal in any notation", () => {
  const keys = ["10.0.0.0/8", "192.168.2.6/32", "192.168.3.0-192.168.3.255"];
  const set: NftSet = {
    name: "nets",
    key: ["ipv4_addr"],
    interval: true,
    elements: new Map(keys.map((key) => [key, { key: [key] }])),
  };
  const table: Table = { family: "inet", name: "small", sets: [set], chains: [] };
  const list = (elements: string) =>
    parseListing(
      `table inet small {\n\tset nets {\n\t\ttype ipv4_addr\n\t\tflags interval${elements}\n\t}\n}\n`,
    )[0]!;
  const listed = list("\n\t\telements = { 10.0.0.0/8, 192.168.2.6, 192.168.3.0/24 }");
  assert.deepEqual(
    compareTable({ table, written: list(""), listed, isRestrictive, counts: new Map() }),
    [],
  );
});

Deno.test("missing, extra or reordered rules are urgent findings with their text", () => {
  const chain = "chain inet small FORWARD";
  const elements = '192.168.2.6 . "lan0" : accept';
  assert.deepEqual(compare(listing(elements, [])), [
    { what: chain, expected: "2 rules", found: "no rules", urgent: true },
  ]);
  assert.deepEqual(compare(listing(elements, RULES.slice(1))), [
    { what: chain, expected: RULES[0], found: null, urgent: true },
  ]);
  assert.deepEqual(compare(listing(elements, ["counter accept", ...RULES])), [
    { what: chain, expected: null, found: "counter accept", urgent: true },
  ]);
  assert.deepEqual(compare(listing(elements, [...RULES].reverse())), [
    { what: chain, expected: RULES[0], found: RULES[1], urgent: true },
  ]);
});

Deno.test("a changed hook, an extra chain, a missing set and a missing table are urgent", () => {
  const elements = '192.168.2.6 . "lan0" : accept';
  const open = "type filter hook forward priority 0; policy accept;";
  assert.equal(compare(listing(elements, RULES, open))[0]?.found, open);
  assert.deepEqual(compare(null), [
    { what: "table inet small", expected: "the table", found: null, urgent: true },
  ]);
  const text = listing(elements);
  const more = { ...text, chains: new Map([...text.chains, ["MINE", { hook: null, rules: [] }]]) };
  assert.deepEqual(compare(more), [
    { what: "chain inet small MINE", expected: null, found: "a chain", urgent: true },
  ]);
  assert.equal(compare({ ...text, sets: new Map() })[0]?.found, null);
});

Deno.test("a large set is compared by its count, and only in a thorough comparison", () => {
  const keys = Array.from({ length: LARGE_SET + 1 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  const table: Table = {
    family: "inet",
    name: "small",
    chains: [],
    sets: [{
      name: "many",
      key: ["ipv4_addr"],
      elements: new Map(keys.map((key) => [key, { key: [key] }])),
    }],
  };
  const [listed] = parseListing("table inet small {\n\tset many {\n\t\ttype ipv4_addr\n\t}\n}\n");
  const base = { table, written: listed!, listed: listed! };
  assert.deepEqual(compareTable({ ...base, isRestrictive, counts: new Map() }), []);
  assert.deepEqual(
    compareTable({ ...base, isRestrictive, counts: new Map([["many", LARGE_SET + 1]]) }),
    [],
  );
  assert.deepEqual(
    compareTable({ ...base, isRestrictive, counts: new Map([["many", LARGE_SET + 2]]) }),
    [{
      what: "set inet small many",
      expected: `${LARGE_SET + 1} elements`,
      found: `${LARGE_SET + 2} elements`,
      urgent: true,
    }],
  );
});

Deno.test("base chains of all tables are listed with the number of their rules", () => {
  const tables = parseListing(`table ip docker {
\tchain FORWARD {
\t\ttype filter hook forward priority filter + 5; policy drop;
\t\tcounter packets 0 bytes 0 accept
\t}

\tchain USER {
\t\treturn
\t}
}
table netdev edge {
\tchain in {
\t\ttype filter hook ingress device "eth0" priority 0; policy accept;
\t}
}
`);
  assert.deepEqual(
    hooksOf(tables).map(({ table, hook, priority, policy, rules }) => [
      ...[table, hook, priority, policy, rules],
    ]),
    [
      ["docker", "forward", "filter + 5", "drop", 1],
      ["edge", "ingress", "0", "accept", 0],
    ],
  );
});

Deno.test("the mirror equals the kernel after the same steps", () => {
  const small = { family: "inet", table: "small" } as const;
  const ops: readonly RulesetOp[] = [
    { op: "add-elements", ...small, set: "passes", elements: [pass("192.168.2.10", "lan1")] },
    { op: "delete-elements", ...small, set: "passes", elements: [pass("192.168.2.6", "lan0")] },
    { op: "add-chain", ...small, chain: { name: "MORE", rules: [] } },
    { op: "add-set", ...small, set: { name: "ports", key: ["inet_service"], elements: new Map() } },
    { op: "add-elements", ...small, set: "ports", elements: [{ key: ["22"] }] },
    { op: "replace-rules", ...small, chain: { ...TABLE!.chains[0]!, rules: [] } },
    { op: "delete-set", ...small, set: "passes" },
    { op: "delete-chain", ...small, chain: "MORE" },
  ];
  const mirror = new Mirror();
  mirror.note({ kind: "ruleset", ops });
  assert.equal(mirror.ruleset(), null, "nothing was loaded yet");
  mirror.note({ kind: "load", ruleset: { tables: [TABLE!] } });
  let model = load({ tables: [TABLE!] });
  for (const op of ops) {
    mirror.note({ kind: "ruleset", ops: [op] });
    model = transact(model, [op]);
    assert.deepEqual(mirror.ruleset(), { tables: [...model.values()] });
  }
  mirror.note({ kind: "ruleset", ops: [{ op: "delete-table", ...small }] });
  assert.deepEqual(mirror.ruleset(), { tables: [] });
});
