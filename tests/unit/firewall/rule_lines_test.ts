import assert from "node:assert/strict";
import { linesOf, membersOf, takenNames } from "../../../ui/pages/firewall/lines.ts";
import { kindOf, KINDS, rulesOf } from "../../../ui/pages/firewall/kinds.ts";
import type { Firewall } from "../../../ui/pages/firewall/wire.ts";
import { DEFAULT_FIREWALL, Endpoint, ForwardingRule } from "../../../system/firewall/schema.ts";

const forward = (fields: object) =>
  ForwardingRule.parse({ SrcPort: "443", DstIP: "192.168.2.6", DstPort: "any", ...fields });
const endpoint = (fields: object) =>
  Endpoint.parse({ IP: "192.168.2.6", Port: "631", Tags: ["office"], ...fields });

/** The protocols of the lines of a kind. */
function protocols(path: string, rules: Partial<Firewall>): readonly unknown[] {
  const firewall = { ...DEFAULT_FIREWALL, ...rules } as unknown as Firewall;
  return linesOf(kindOf(path)!, firewall).map(({ rule, members }) => [
    (rule as { Protocol?: string }).Protocol,
    members.length,
  ]);
}

Deno.test("two rules are one line where they differ in TCP and UDP alone", () => {
  const [tcp, udp] = [forward({ Protocol: "tcp" }), forward({ Protocol: "udp" })];
  const both = [["tcp+udp", 2]];
  assert.deepEqual(protocols("forward", { ForwardingRules: [tcp, udp] }), both);
  assert.deepEqual(protocols("forward", { ForwardingRules: [udp, tcp] }), both);
  for (const other of [{ RuleName: "other" }, { Disabled: true }, { SrcPort: "444" }]) {
    assert.deepEqual(protocols("forward", { ForwardingRules: [tcp, { ...udp, ...other }] }), [
      ["tcp", 1],
      ["udp", 1],
    ]);
  }
  // A third that says the same stands by itself.
  const spelled = { ...tcp, SrcPort: "443-443" };
  assert.deepEqual(protocols("forward", { ForwardingRules: [tcp, spelled, udp] }), [
    ["tcp+udp", 2],
    ["tcp", 1],
  ]);
});

Deno.test("service access by name is one line with its name and UDP at the end of the other", () => {
  const [tcp, udp] = [
    endpoint({ RuleName: "printing", Protocol: "tcp" }),
    endpoint({ RuleName: "printing UDP", Protocol: "udp" }),
  ];
  assert.deepEqual(protocols("endpoint", { Endpoints: [tcp, udp] }), [["tcp+udp", 2]]);
  const kind = kindOf("endpoint")!;
  const [line] = linesOf(
    kind,
    { ...DEFAULT_FIREWALL, Endpoints: [tcp, udp] } as unknown as Firewall,
  );
  assert.deepEqual(membersOf(kind, line!.rule), [tcp, udp]);
});

Deno.test("service access is written over no other of its name, nor its UDP part", () => {
  const kind = kindOf("endpoint")!;
  const printing = endpoint({ RuleName: "printing", Protocol: "tcp" });
  const other = endpoint({ RuleName: "printing UDP", Protocol: "udp", Port: "161" });
  const firewall = { ...DEFAULT_FIREWALL, Endpoints: [printing, other] } as unknown as Firewall;
  const [line] = linesOf(kind, firewall);
  const taken = (fields: object, known: typeof line | null) =>
    takenNames({ kind, rule: { ...printing, ...fields } as never }, known ?? null, firewall);
  assert.deepEqual(taken({ Port: "632" }, line), []);
  assert.deepEqual(taken({ Protocol: "tcp+udp" }, line), ["printing UDP"]);
  assert.deepEqual(taken({}, null), ["printing"]);
  assert.deepEqual(taken({ RuleName: "scanning", Protocol: "tcp+udp" }, null), []);
  const both = { ...other, Port: "631" };
  const paired = { ...DEFAULT_FIREWALL, Endpoints: [printing, both] } as unknown as Firewall;
  const [pair] = linesOf(kind, paired);
  assert.deepEqual(takenNames(pair!, pair!, paired), []);
});

Deno.test("each rule is a member of one line, whatever its kind", () => {
  const firewall = DEFAULT_FIREWALL as unknown as Firewall;
  for (const kind of KINDS) {
    const members = linesOf(kind, firewall).flatMap((line) => line.members);
    assert.deepEqual(members, rulesOf(kind, firewall));
  }
});
