import assert from "node:assert/strict";
import { atOnce } from "../../../system/core/time/slices.ts";
import { readCountSteps, ruleCounterSteps } from "../../../system/firewall/counters/counters.ts";
import { DEFAULT_FIREWALL, Firewall } from "../../../system/firewall/schema.ts";

const RULE = { SrcIP: "192.168.2.0/24", DstIP: "203.0.113.9", Disabled: false };

const FIREWALL = Firewall.parse({
  ...DEFAULT_FIREWALL,
  ForwardingRules: [{ Protocol: "tcp", SrcPort: "443", DstIP: "192.168.2.10", DstPort: "8443" }],
  ForwardingBlockRules: [
    { ...RULE, Protocol: "tcp", DstPort: "20-30" },
    { ...RULE, Protocol: "udp", Disabled: true },
  ],
});

Deno.test("what the kernel counted at an element is what its rule counted", () => {
  const elem = [[{
    elem: {
      val: {
        concat: [
          { prefix: { addr: "192.168.2.0", len: 24 } },
          "203.0.113.9",
          "tcp",
          { range: [20, 30] },
        ],
      },
      counter: { packets: 7, bytes: 420 },
    },
  }, { drop: null }]];
  const counts = new Map([[
    "fwd_block",
    atOnce(readCountSteps([{ metainfo: {} }, { map: { elem } }])),
  ]]);
  const found = atOnce(ruleCounterSteps(FIREWALL, counts)).filter(({ kind }) =>
    kind === "block_forward"
  );
  assert.deepEqual(found, [
    {
      kind: "block_forward",
      rule: "tcp 192.168.2.0/24 to 203.0.113.9 20-30",
      packets: 7,
      bytes: 420,
    },
    // Switched off: it is nowhere in the kernel.
    {
      kind: "block_forward",
      rule: "udp 192.168.2.0/24 to 203.0.113.9 any",
      packets: null,
      bytes: null,
    },
  ]);
});

Deno.test("a rule that is not counted is not known rather than never met", () => {
  for (const { packets, bytes } of atOnce(ruleCounterSteps(FIREWALL, new Map()))) {
    assert.deepEqual([packets, bytes], [null, null]);
  }
});
