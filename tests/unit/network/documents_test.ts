import assert from "node:assert/strict";
import { firewallDocument } from "../../../system/firewall/document.ts";
import { interfacesDocument } from "../../../system/network/interfaces/document.ts";
import { Problem } from "../../../system/core/errors/problem.ts";

Deno.test("the firewall file of an existing router is read, its udp port rejected, the rest kept", () => {
  const raw = {
    ForwardingRules: [
      { RuleName: "web", Protocol: "tcp" },
      {
        ...{ RuleName: "ok", Protocol: "tcp", SrcIP: "0.0.0.0/0", SrcPort: "80" },
        ...{ DstIP: "192.168.2.10/32", DstPort: "any" },
      },
    ],
    SystemDNSOverride: "9.9.9.9",
    ServicePorts: [
      { Protocol: "tcp", Port: "22", UpstreamEnabled: true },
      { Protocol: "udp", Port: "68", UpstreamEnabled: true },
      { Protocol: "tcp", Port: "0" },
    ],
    MulticastPorts: null,
    PingLan: false,
    PingWan: true,
  };
  const { value, rejected } = firewallDocument.read(raw);
  assert.deepEqual(value.ServicePorts, [
    { Protocol: "tcp", Port: "22", UpstreamEnabled: true, Description: "" },
  ]);
  assert.deepEqual([value.PingLan, value.PingWan], [false, true]);
  assert.deepEqual(value.ForwardingRules.map((one) => [one.RuleName, one.DstIP]), [
    ["ok", "192.168.2.10"],
  ]);
  assert.deepEqual(value.MulticastPorts, []);
  assert.equal(value["SystemDNSOverride"], "9.9.9.9");
  assert.deepEqual(rejected.map((one) => one.pointer), [
    "/ForwardingRules/0",
    "/ServicePorts/1",
    "/ServicePorts/2",
  ]);
  assert.deepEqual(firewallDocument.schema.parse(value), value);
});

Deno.test("a firewall file without service ports keeps the router's own pages open on the LAN", () => {
  const { value, rejected } = firewallDocument.read({});
  assert.deepEqual(value, firewallDocument.fallback);
  assert.deepEqual(rejected, []);
  assert.deepEqual(firewallDocument.read({ ServicePorts: [] }).value.ServicePorts, []);
  assert.throws(() => firewallDocument.read([]), Problem);
});

Deno.test("an interfaces file with missing fields is read, bad and repeated entries are rejected", () => {
  const { value, rejected } = interfacesDocument.read([
    { Name: "eth0", Type: "Uplink", Enabled: true, AdditionalIPs: [{ IP: "203.0.113.9" }] },
    { Name: "eth1", Type: "Downlink", IP: "not one" },
    { Name: "eth0", Type: "Downlink", Enabled: true },
    { Name: "a; reboot", Type: "Uplink" },
    7,
  ]);
  assert.deepEqual(value, [{
    Name: "eth0",
    Type: "Uplink",
    Subtype: "",
    Enabled: true,
    DisableDHCP: false,
    IP: "",
    Router: "",
    VLAN: "",
    MACOverride: "",
    MACRandomize: false,
    MACCloak: false,
    RandomMAC: "",
    State: "",
    ExtraBSS: [],
    AdditionalIPs: [{ IP: "203.0.113.9", Router: "" }],
  }]);
  assert.deepEqual(rejected.map((one) => one.pointer), ["/1", "/2", "/3", "/4"]);
  assert.deepEqual(rejected.map(({ message }) => /^\/\w+: /.exec(message)?.[0]), [
    ...["/IP: ", undefined, "/Name: ", undefined],
  ]);
  assert.equal(interfacesDocument.keyOf?.(value[0]), "eth0");
  assert.throws(() => interfacesDocument.read({}), Problem);
});
