import assert from "node:assert/strict";
import type { LoggedPacket } from "../../../system/core/kernel/logged_packet.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { explainPacket } from "../../../system/reach/logged_packet.ts";
import { reach } from "../../../system/reach/reach.ts";
import { block, firewallWith, forward } from "../../kit/builders/firewall_rules.ts";
import { device, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();
const LAPTOP = "02:00:00:00:00:0a", PHONE = "02:00:00:00:00:0b";
const named = (mac: string, ip: string, Name: string, policies: readonly "wan"[] = []) => ({
  [mac]: { ...device(mac, { ip, policies }), Name },
});
const config = network({}, {
  devices: {
    ...named(LAPTOP, "192.168.2.6", "Laptop"),
    ...named(PHONE, "192.168.2.10", "Phone", ["wan"]),
  },
  interfaces: [
    link("eth0", "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" }),
    link("eth1", "Downlink"),
  ],
  firewall: firewallWith({
    ForwardingRules: [forward("8080", "192.168.2.10", "443", { RuleName: "web" })],
    ForwardingBlockRules: [block("192.168.2.10", "8.8.8.8", "25")],
  }),
  packetLog: { Log: "all" },
});
const state = { config, desired: planner.desire(config, seenOn(), kernel(["lo", "eth0", "eth1"])) };

function packet(
  prefix: string,
  [from, source]: readonly [string, string],
  [to, destination]: readonly [string, string],
  more: Partial<LoggedPacket> & { readonly dport?: number } = {},
): LoggedPacket {
  const { dport = 443, ...others } = more;
  const mac = source === "192.168.2.6" ? LAPTOP : PHONE;
  return {
    ...{ group: prefix.startsWith("drop") ? 1 : 0, prefix, at: 0, inDev: from, outDev: to },
    Ethernet: { SrcMAC: mac, HwType: 1 },
    IP: {
      ...{ Version: 4, TOS: 0, Length: 40, TTL: 64, Protocol: 17 },
      ...{ SrcIP: source, DstIP: destination },
    },
    UDP: { SrcPort: 50000, DstPort: dport, Length: 20, Checksum: 0 },
    ...others,
  };
}
const explain = (one: LoggedPacket) => explainPacket(one, state, planner);

Deno.test("a logged drop is explained as an access test explains it", () => {
  const prefix = "drop:forward Blocked: no rule allows it";
  const explained = explain(packet(prefix, ["eth1", "192.168.2.6"], ["eth0", "1.1.1.1"]));
  const query = { from: LAPTOP, to: "1.1.1.1", protocol: "udp", port: "443" } as const;
  assert.equal(explained.Rule, reach(query, state, planner).reason);
  assert.equal(explained.From, "Laptop");
  assert.equal(explained.To, "1.1.1.1");
  assert.equal(explained.Identity, LAPTOP);
});

Deno.test("a logged connection names the policy or the forward that lets it on", () => {
  const out = explain(packet("wan:out ", ["eth1", "192.168.2.10"], ["eth0", "1.1.1.1"]));
  assert.equal(out.Rule, "Allowed by policy wan (Internet) of Phone");
  const inward = explain(packet("lan:out ", ["eth0", "198.51.100.7"], ["eth1", "192.168.2.10"], {
    original: { address: "203.0.113.2", port: 8080 },
    IP: {
      ...{ Version: 4, TOS: 0, Length: 40, TTL: 64, Protocol: 6 },
      ...{ SrcIP: "198.51.100.7", DstIP: "192.168.2.10" },
    },
  }));
  assert.equal(inward.Rule, "Allowed: port forward from the WAN");
  assert.equal(inward.To, "Phone");
  assert.equal(inward.Identity, PHONE);
});

Deno.test("a block rule is named by its words and the device that it is about", () => {
  const prefix = "drop:pfw Blocked by a forward block rule";
  const at = { dport: 25, IP: undefined };
  const { IP: _, ...port } = at;
  const explained = explain(
    packet(prefix, ["eth1", "192.168.2.10"], ["eth0", "8.8.8.8"], {
      ...port,
      IP: {
        ...{ Version: 4, TOS: 0, Length: 40, TTL: 64, Protocol: 6 },
        ...{ SrcIP: "192.168.2.10", DstIP: "8.8.8.8" },
      },
    }),
  );
  assert.equal(explained.Rule, "Blocked by a forward block rule (Phone)");
});

Deno.test("where the rules now decide otherwise, the kernel's own words stand", () => {
  const prefix = "drop:input Blocked: invalid connection state";
  const late = explain(packet(prefix, ["eth1", "192.168.2.10"], ["", "192.168.2.1"]));
  assert.equal(late.Rule, "Blocked: invalid connection state");
  const foreign = explain(packet("of another program", ["eth1", "192.168.2.10"], ["", "8.8.8.8"]));
  assert.equal(foreign.Rule, "Allowed");
  const bare: LoggedPacket = { group: 1, prefix: "", at: 0, inDev: "", outDev: "" };
  assert.deepEqual(explain(bare), { Rule: "Blocked", From: "", To: "" });
});
