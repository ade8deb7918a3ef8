import assert from "node:assert/strict";
import { arpTable } from "../../../system/network/interfaces/arp_table.ts";
import {
  interfaceEntry,
  setLink,
  setLinkAddress,
  setUplink,
} from "../../../system/network/interfaces/link_rules.ts";
import { LinkUpdate, UplinkUpdate } from "../../../system/network/interfaces/update_schema.ts";
import { link, network } from "../../kit/builders/small_network.ts";

const FIXED = { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" };
const HOSTILE = [
  "eth0;reboot",
  "$(reboot)",
  "-x",
  "a/b",
  "..",
  "eth0 ",
  "",
  "eth0\n",
  "ünter",
  "sixteen-bytes-it",
  "`id`",
  "eth0|cat",
];

Deno.test("a link takes names that the kernel takes, and no others", () => {
  for (const Name of HOSTILE) {
    assert.equal(LinkUpdate.safeParse({ Name }).success, false, JSON.stringify(Name));
    assert.equal(UplinkUpdate.safeParse({ Name }).success, false, JSON.stringify(Name));
  }
  for (const Name of ["eth0", "enp3s0f1np1", "wlan1.4096", "fifteen-bytes-1", "table"]) {
    assert.equal(LinkUpdate.safeParse({ Name }).success, true, Name);
  }
  for (const Name of ["lo", "sluice0"]) {
    assert.throws(() => setLink(network(), { Name, Type: "Other" }), { status: 400 });
  }
});

Deno.test("PUT of a link: a new one needs its type, a known one keeps what is not named", () => {
  const config = network();
  assert.throws(() => setLink(config, { Name: "eth9" }), /set its type/);
  const [added] = setLink(config, { Name: "eth9", Type: "Downlink" });
  assert.deepEqual(added.interfaces.at(-1), link("eth9", "Downlink", { Enabled: false }));
  const [enabled] = setLink(added, { Name: "eth9", Enabled: true });
  assert.equal(enabled.interfaces.at(-1)?.Type, "Downlink");
  assert.equal(setLink(enabled, { Name: "eth9", Enabled: true })[0], enabled, "nothing changes");
  assert.throws(() => setLink(enabled, { Name: "eth9", Subtype: "pppup" }), { status: 400 });
  assert.throws(() => LinkUpdate.parse({ Name: "eth9", Type: "uplink" }));
});

Deno.test("a fixed uplink address: what is taken, and what is refused with its place", () => {
  const config = network({}, { interfaces: [link("eth0", "Uplink"), link("eth1", "Downlink")] });
  const [set] = setUplink(config, { Name: "eth0", ...FIXED });
  assert.deepEqual(set.interfaces[0], link("eth0", "Uplink", FIXED));
  assert.equal(setUplink(set, { Name: "eth0", ...FIXED })[0], set);
  const [dynamic] = setUplink(set, { Name: "eth0", DisableDHCP: false });
  assert.equal(dynamic.interfaces[0]?.IP, FIXED.IP, "kept for the next time");
  for (const IP of ["203.0.113.2/31", "203.0.113.77/8", "100.64.0.9/10"]) {
    assert.equal(UplinkUpdate.safeParse({ Name: "eth0", IP }).success, true, IP);
  }
  const lone = { Name: "eth0", DisableDHCP: true, Router: "203.0.113.1" };
  assert.equal(setUplink(set, { ...lone, IP: "203.0.113.2" })[0], set, "keeps its prefix");
  const [moved] = setUplink(set, { ...lone, IP: "203.0.113.9" });
  assert.equal(moved.interfaces[0]?.IP, "203.0.113.9/32");
  const malformed = [
    ...["203.0.113", "203.0.113.2/33", "203.0.113.2/0", "203.0.113.0/24", "203.0.113.255/24"],
    ...["127.0.0.1/8", "224.0.0.1/4", "0.0.0.1/8", "2001:db8::2/64", "router/24", "1.2.3.04/24"],
  ];
  for (const IP of malformed) {
    assert.equal(UplinkUpdate.safeParse({ Name: "eth0", IP }).success, false, IP);
  }
  for (const Router of ["gateway", "203.0.113", "2001:db8::1", "203.0.113.1/24"]) {
    assert.equal(UplinkUpdate.safeParse({ Name: "eth0", Router }).success, false, Router);
  }
  assert.equal(UplinkUpdate.safeParse({ Name: "eth0", VLAN: "7" }).success, false);
  const refused = [
    [{ Router: "198.51.100.1" }, "/Router"],
    [{ Router: "203.0.113.2" }, "/Router"],
    [{ Router: "203.0.113.255" }, "/Router"],
    [{ Router: "" }, "/Router"],
    [{ IP: "" }, "/IP"],
    [{ IP: "192.168.2.77/24", Router: "192.168.2.1" }, "/IP"],
    [{ IP: "192.168.0.2/16", Router: "192.168.0.1" }, "/IP"],
  ] as const;
  for (const [change, pointer] of refused) {
    assert.throws(() => setUplink(config, { Name: "eth0", ...FIXED, ...change }), (error) => {
      const problem = error as { status: number; errors: { pointer: string }[] };
      assert.equal(problem.status, 400, JSON.stringify(change));
      assert.equal(problem.errors[0]?.pointer, pointer, JSON.stringify(change));
      return true;
    });
  }
  assert.throws(() => setUplink(config, { Name: "eth1", ...FIXED }), /is no uplink/);
  assert.throws(() => setUplink(config, { Name: "eth7", ...FIXED }), { status: 404 });
});

Deno.test("two uplinks cannot share an address, and a downlink with a LAN address is no uplink", () => {
  const config = network({}, {
    interfaces: [
      link("eth0", "Uplink", FIXED),
      link("eth2", "Uplink"),
      link("eth3", "Downlink", { IP: "192.168.2.9/24" }),
    ],
  });
  assert.throws(
    () => setUplink(config, { Name: "eth2", ...FIXED }),
    /eth0 already has the address/,
  );
  assert.throws(() => setLink(config, { Name: "eth3", Type: "Uplink" }), /overlaps the LAN/);
});

Deno.test("no address stands on two links, and no network on both sides of the router", () => {
  const config = network({}, {
    interfaces: [
      link("eth0", "Uplink", FIXED),
      link("eth1", "Downlink", {
        IP: "10.50.0.1/24",
        AdditionalIPs: [{ IP: "10.51.0.1/24", Router: "" }],
      }),
      link("eth2", "Downlink"),
      link("eth3", "Uplink", { IP: "198.51.100.9/24", Router: "198.51.100.1" }),
      link("eth4", "Uplink"),
    ],
  });
  const more = (IP: string) => ({ AdditionalIPs: [{ IP, Router: "" }] });
  const refused = [
    ["eth2", { IP: "10.50.0.1/24" }, "/IP", /eth1 already has the address 10.50.0.1/],
    ["eth2", { IP: "10.51.0.1/30" }, "/IP", /eth1 already has the address/],
    ["eth2", { IP: "203.0.113.50/24" }, "/IP", /overlaps 203.0.113.2\/24 of eth0/],
    ["eth2", more("203.0.113.2/24"), "/AdditionalIPs/0/IP", /eth0 already has the address/],
    ["eth2", more("203.0.113.2"), "/AdditionalIPs/0/IP", /eth0 already has the address/],
    ["eth2", more("203.0.112.9/23"), "/AdditionalIPs/0/IP", /overlaps/],
    ["eth4", { ...FIXED, IP: "10.50.0.9/24", Router: "10.50.0.1" }, "/IP", /overlaps .* of eth1/],
    ["eth4", more("10.50.0.1"), "/AdditionalIPs/0/IP", /eth1 already has the address/],
  ] as const;
  for (const [Name, change, pointer, text] of refused) {
    assert.throws(() => setLinkAddress(config, { Name, ...change } as never), (error) => {
      const problem = error as { message: string; errors: { pointer: string }[] };
      assert.match(problem.message, text);
      assert.equal(problem.errors[0]?.pointer, pointer, JSON.stringify(change));
      return true;
    });
  }
  const taken = [
    ["eth2", { IP: "10.50.0.2/24" }, "two downlinks of one network are people's business"],
    ["eth2", { IP: "198.51.100.9/24" }, "an uplink that asks for its address has no other"],
    ["eth4", { ...FIXED, IP: "203.0.113.3/24" }, "two uplinks of one provider"],
    ["eth1", { IP: "10.50.0.1/23" }, "its own address is no other's"],
  ] as const;
  for (const [Name, change, why] of taken) {
    assert.doesNotThrow(() => setLinkAddress(config, { Name, ...change } as never), why);
  }
});

Deno.test("an interface shows what is set and leaves out what says nothing", () => {
  assert.deepEqual(interfaceEntry(link("eth1", "Downlink")), {
    Name: "eth1",
    Type: "Downlink",
    Subtype: "",
    Enabled: true,
  });
  assert.deepEqual(interfaceEntry(link("eth0", "Uplink", FIXED)), {
    Name: "eth0",
    Type: "Uplink",
    Subtype: "",
    Enabled: true,
    ...FIXED,
  });
});

Deno.test("the ARP table has the kernel's own form, and IPv4 only", () => {
  const mac = "02:00:00:00:00:0a";
  const at = { dev: "eth1", lladdr: mac, state: ["PERMANENT"] };
  assert.deepEqual(
    arpTable([
      { dst: "192.168.2.6", ...at },
      { dst: "192.168.2.10", dev: "eth1", state: ["FAILED"] },
      { dst: "fe80::1", ...at },
    ]),
    [
      {
        ...{ IP: "192.168.2.6", HWType: "0x1", Flags: "0x6", MAC: mac },
        ...{ Mask: "*", Device: "eth1" },
      },
      {
        ...{ IP: "192.168.2.10", HWType: "0x1", Flags: "0x0", MAC: "00:00:00:00:00:00" },
        ...{ Mask: "*", Device: "eth1" },
      },
    ],
  );
});
