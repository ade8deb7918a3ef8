import assert from "node:assert/strict";
import { machineLinks } from "../../../system/host/kernel/machine_links.ts";
import type { LinkRow } from "../../../ui/pages/network/interface_rows.ts";
import { interfaceNote, likelyLan, likelyUplink, stepOf } from "../../../ui/pages/setup/guide.ts";

const kernel = (name: string, cable: boolean, ...addresses: readonly string[]) => ({
  ifname: name,
  operstate: cable ? "UP" : "DOWN",
  flags: [],
  address: "02:00:00:00:00:01",
  addr_info: addresses.map((local) => ({ family: "inet", local, prefixlen: 24, scope: "global" })),
});
const decided = (Name: string, Type: string, Enabled = true) => ({
  Name,
  Type,
  Subtype: "",
  Enabled,
});
const row = (name: string, part: Partial<LinkRow>): LinkRow => ({
  name,
  decided: null,
  kernel: null,
  ...part,
});

Deno.test("the setup guide continues at the first missing step", () => {
  const uplink = decided("a", "Uplink");
  const at = (passwordSet: boolean, ...links: readonly ReturnType<typeof decided>[]) =>
    stepOf({ passwordSet, links });
  assert.equal(at(false), "admin");
  assert.equal(at(false, uplink), "admin", "the setup code is no password to keep");
  assert.equal(at(true), "uplink");
  assert.equal(at(true, decided("a", "Uplink", false)), "uplink");
  assert.equal(at(true, uplink), "home");
  assert.equal(at(true, uplink, decided("b", "Downlink", false)), "home");
  assert.equal(at(true, uplink, decided("b", "Downlink")), "device");
  assert.equal(at(true, uplink, decided("b", "AP")), "device");
});

Deno.test("the setup guide proposes the interface with an address as uplink, others with a carrier as LAN", () => {
  const rows = [
    row("eth0", { kernel: kernel("eth0", true) }),
    row("eth1", { kernel: kernel("eth1", false) }),
    row("eth2", { kernel: kernel("eth2", true, "203.0.113.2") }),
    row("eth3", { kernel: kernel("eth3", true, "169.254.3.4") }),
  ];
  assert.equal(likelyUplink(rows), "eth2");
  assert.equal(
    likelyUplink([row("eth9", { decided: decided("eth9", "Uplink") }), ...rows]),
    "eth9",
  );
  assert.equal(likelyUplink([]), "");
  assert.deepEqual(likelyLan(rows), ["eth0", "eth3"]);
  assert.deepEqual(likelyLan([rows[1]!]), ["eth1"], "one without a cable is better than none");
  const known = row("eth1", { decided: decided("eth1", "Downlink"), kernel: null });
  assert.deepEqual(likelyLan([rows[0]!, known]), ["eth1"], "what was decided comes first");
  assert.equal(interfaceNote(rows[2]!), "Connected, 203.0.113.2/24, 02:00:00:00:00:01");
  assert.equal(interfaceNote(known), "Not present");
});

Deno.test("machineLinks() reads the interfaces that ip lists, without loopback and invalid names", () => {
  const listed = [
    { ifname: "lo", ifindex: 1, flags: ["UP"] },
    {
      ifname: "eth0",
      ifindex: 2,
      flags: ["UP", "LOWER_UP"],
      address: "02:00:00:00:00:01",
    },
    { ifname: "wlan0", ifindex: 3, flags: "UP" },
    { ifname: "x; reboot", ifindex: 4, flags: [] },
    { ifname: "eth1", ifindex: "five" },
    { ifindex: 6 },
  ];
  assert.deepEqual(machineLinks(listed), [
    { name: "eth0", index: 2, mac: "02:00:00:00:00:01", up: true, running: true, kind: null },
    { name: "wlan0", index: 3, mac: null, up: false, running: false, kind: null },
  ]);
});
