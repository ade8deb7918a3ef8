import assert from "node:assert/strict";
import { atOnce } from "../../../system/core/time/slices.ts";
import { readCountSteps, ruleCounterSteps } from "../../../system/firewall/counters/counters.ts";
import { device } from "../../kit/builders/device_config.ts";
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
  const found = atOnce(ruleCounterSteps({ firewall: FIREWALL, devices: [] }, counts)).filter((
    { kind },
  ) => kind === "block_forward");
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
  for (
    const { packets, bytes } of atOnce(
      ruleCounterSteps({ firewall: FIREWALL, devices: [] }, new Map()),
    )
  ) {
    assert.deepEqual([packets, bytes], [null, null]);
  }
});

Deno.test("an endpoint counts at the elements of the devices that it opens to", () => {
  const endpoint = {
    ...{ RuleName: "printer", Protocol: "tcp", IP: "192.168.2.10", Port: "9100", Tags: ["office"] },
  };
  const firewall = Firewall.parse({ ...DEFAULT_FIREWALL, Endpoints: [endpoint] });
  const devices = ["192.168.2.6", "192.168.2.14", "192.168.2.18"].map((RecentIP, at) =>
    device(`02:00:00:00:00:0${at}`, { RecentIP, DeviceTags: at === 2 ? [] : ["office"] })
  );
  const counted = (...keys: readonly string[]) => {
    const set = new Map(keys.map((key) => [key, { packets: 2, bytes: 100 }]));
    const all = atOnce(ruleCounterSteps({ firewall, devices }, new Map([["ept_tcpfwd", set]])));
    return all.filter(({ kind }) => kind === "endpoint").map(({ packets }) => packets);
  };
  const [first, second] = ["192.168.2.6", "192.168.2.14"].map((ip) =>
    `${ip} . 192.168.2.10 . 9100`
  );
  assert.deepEqual(counted(first!, second!), [4]);
  assert.deepEqual(counted(first!), [2], "the other device is nowhere at present");
  assert.deepEqual(counted("192.168.2.18 . 192.168.2.10 . 9100"), [null]);
});

Deno.test("a custom interface counts what comes from it", () => {
  const rules = [
    { Interface: "docker0", SrcIP: "172.17.0.0/16", Policies: ["wan"] },
    { Interface: "docker0", SrcIP: "172.17.0.2", Policies: ["wan"] },
    { Interface: "docker1", SrcIP: "172.18.0.2", Policies: ["wan"], Disabled: true },
  ];
  const firewall = Firewall.parse({ ...DEFAULT_FIREWALL, CustomInterfaceRules: rules });
  const set = new Map([["docker0 . 172.17.0.0/16", { packets: 3, bytes: 180 }]]);
  const counts = new Map([["custom_interfaces", set]]);
  const found = atOnce(ruleCounterSteps({ firewall, devices: [] }, counts))
    .filter(({ kind }) => kind === "custom_interface").map(({ bytes }) => bytes);
  assert.deepEqual(found, [180, null, null]);
});
