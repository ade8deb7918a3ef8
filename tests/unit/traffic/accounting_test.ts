import assert from "node:assert/strict";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { diffRulesets } from "../../../system/core/kernel/nft/diff.ts";
import { accountingTable } from "../../../system/firewall/accounting.ts";
import { WireStep } from "../../../system/host/kernel/netd_wire.ts";
import { stepToWire } from "../../../system/host/kernel/netd_wire.ts";

Deno.test("the counting table passes the wire to netd, and changes only with the uplinks", () => {
  const ruleset = { tables: [accountingTable(["wan0"])] };
  const step = { kind: "load", ruleset } as const;
  assert.deepEqual(WireStep.parse(JSON.parse(JSON.stringify(stepToWire(step)))), step);
  assert.deepEqual(diffRulesets(ruleset, { tables: [accountingTable(["wan0"])] }), []);
  const ops = diffRulesets(ruleset, { tables: [accountingTable(["wan0", "wan1"])] });
  assert.deepEqual(ops.map(({ op }) => op), ["add-elements"]);
});

Deno.test("a set that the kernel fills is written with its size and timeout", () => {
  const text = renderLoad({ tables: [accountingTable(["wan0"])] });
  assert.match(
    text,
    /set incoming_traffic_lan \{\n +type ipv4_addr\n +size 65535\n +flags dynamic,timeout\n +timeout 86400s/,
  );
  assert.match(text, /counter update @outgoing_traffic_wan \{ ip saddr counter \} comment/);
});
