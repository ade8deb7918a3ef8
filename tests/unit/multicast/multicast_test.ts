import assert from "node:assert/strict";
import { grantedPermissions } from "../../../system/core/process/descriptor.ts";
import { SERVICES } from "../../../system/processes.ts";
import { multicastd } from "../../../system/multicast/process.ts";
import fc from "fast-check";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { parseIpv4 } from "../../../system/core/net/net.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import {
  type Datagram,
  formatDatagram,
  parseDatagram,
} from "../../../system/multicast/datagram.ts";
import { multicastDocument } from "../../../system/multicast/document.ts";
import { addressResponse, parseMessage, probeQuery, TYPE } from "../../../system/multicast/mdns.ts";
import { RelayLimits } from "../../../system/multicast/relay_limits.ts";
import { relayPlan } from "../../../system/multicast/relay_plan.ts";
import { isOwnAddress, relayTargets } from "../../../system/multicast/relay_rules.ts";
import {
  parseGroup,
  type RelayInterface,
  type RelayPlan,
} from "../../../system/multicast/schema.ts";
import { descriptionOf, servicesOf } from "../../../system/multicast/services.ts";
import { network, type SmallDevice } from "../../kit/builders/small_network.ts";

const ip = (text: string): number => parseIpv4(text)!;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function link(name: string, parts: Partial<RelayInterface> = {}): RelayInterface {
  return { name, addresses: [], senders: [], tags: [], peers: [], ...parts };
}

function datagram(parts: Partial<Datagram> = {}): Datagram {
  return {
    source: ip("192.168.2.6"),
    destination: ip("224.0.0.251"),
    ttl: 255,
    sourcePort: 5353,
    port: 5353,
    payload: bytes("hello"),
    ...parts,
  };
}

const PLAN: RelayPlan = {
  tag: "1",
  decided: true,
  links: [
    link("lan0", { addresses: ["192.168.2.5"], senders: ["192.168.2.6"] }),
    link("lan1", { addresses: ["192.168.2.9"], senders: ["192.168.2.10"], tags: ["media"] }),
    link("lan2", { addresses: ["192.168.2.21"] }),
    link("wg0", {
      senders: ["192.168.2.14", "192.168.2.18"],
      peers: ["192.168.2.14", "192.168.2.18"],
    }),
  ],
  groups: [
    { address: "224.0.0.251", port: 5353, tags: [] },
    { address: "239.255.255.250", port: 1900, tags: ["media"] },
  ],
  name: "sluice",
};

const arbitraryDatagram = fc.record({
  source: fc.nat({ max: 0xffffffff }),
  destination: fc.nat({ max: 0xffffffff }),
  ttl: fc.nat({ max: 255 }),
  sourcePort: fc.nat({ max: 65535 }),
  port: fc.nat({ max: 65535 }),
  payload: fc.uint8Array({ maxLength: 1472 }),
});

Deno.test("a datagram is reflected to every other interface, and to each VPN peer", () => {
  const group = ip("224.0.0.251");
  assert.deepEqual(relayTargets(PLAN, { link: "lan0", datagram: datagram() }), [
    { link: "lan1", destination: group },
    { link: "wg0", destination: ip("192.168.2.14") },
    { link: "wg0", destination: ip("192.168.2.18") },
  ]);
  const peer = datagram({ source: ip("192.168.2.14") });
  assert.deepEqual(relayTargets(PLAN, { link: "wg0", datagram: peer }), [
    { link: "lan0", destination: group },
    { link: "lan1", destination: group },
    { link: "wg0", destination: ip("192.168.2.18") },
  ]);
});

Deno.test("a group with tags is reflected only to interfaces with such a device", () => {
  const search = (source: string) =>
    datagram({ source: ip(source), destination: ip("239.255.255.250"), port: 1900 });
  const links = (link: string, source: string) =>
    relayTargets(PLAN, { link, datagram: search(source) }).map(({ link }) => link);
  assert.deepEqual(links("lan0", "192.168.2.6"), ["lan1"]);
  assert.deepEqual(links("lan1", "192.168.2.10"), []);
});

Deno.test("our own, unknown, oversized and foreign datagrams are not reflected", () => {
  const none = (parts: Partial<Datagram>, from = "lan0"): void =>
    assert.deepEqual(relayTargets(PLAN, { link: from, datagram: datagram(parts) }), []);
  none({ source: ip("192.168.2.9") });
  none({ port: 5354 });
  none({ destination: ip("224.0.0.1") });
  none({ payload: new Uint8Array(1473) });
  none({}, "wan0");
  none({}, "lan9");
  none({}, "lan1");
  none({ source: ip("192.168.2.22") }, "lan2");
  assert.ok(isOwnAddress(PLAN, ip("192.168.2.5")));
});

Deno.test("datagrams are reflected only to interfaces of the plan, never back", () => {
  const names = fc.constantFrom("lan0", "lan1", "wg0", "wan0");
  fc.assert(fc.property(arbitraryDatagram, names, (one, from) => {
    const [source = 0] = PLAN.links.find(({ name }) => name === from)?.senders.map(ip) ?? [];
    const sent = { ...one, source, destination: ip("224.0.0.251"), port: 5353 };
    for (const target of relayTargets(PLAN, { link: from, datagram: sent })) {
      assert.ok(PLAN.links.some(({ name }) => name === target.link));
      assert.ok(target.link !== from || target.destination !== sent.destination);
    }
  }));
});

Deno.test("duplicate datagrams are reflected once a second", () => {
  let now = 0;
  const limits = new RelayLimits(() => now);
  assert.ok(limits.admit(datagram()));
  now = 999;
  assert.ok(!limits.admit(datagram()));
  assert.ok(limits.admit(datagram({ payload: bytes("other") })));
  now = 1000;
  assert.ok(limits.admit(datagram()));
});

Deno.test("each source is limited to a burst of 100 and 50 a second", () => {
  let now = 0, number = 0;
  const limits = new RelayLimits(() => now);
  const passed = (count: number, source = "192.168.2.6"): number =>
    Array.from(
      { length: count },
      () => limits.admit(datagram({ source: ip(source), payload: bytes(String(number++)) })),
    ).filter(Boolean).length;
  assert.equal(passed(1000), 100);
  now = 1000;
  assert.equal(passed(1000), 50);
  assert.equal(passed(10, "192.168.2.10"), 10);
});

Deno.test("a datagram survives formatting and parsing, with TTL and source", () => {
  fc.assert(fc.property(arbitraryDatagram, (one) => {
    assert.deepEqual(parseDatagram(formatDatagram(one)), { ...one });
  }));
});

Deno.test("the checksum of a datagram is that of RFC 768", () => {
  fc.assert(fc.property(arbitraryDatagram, (one) => {
    const packet = formatDatagram(one);
    const view = new DataView(packet.buffer);
    let sum = 17 + packet.length - 20;
    for (let at = 12; at < packet.length; at += 2) {
      sum += at + 1 < packet.length ? view.getUint16(at) : view.getUint8(at) << 8;
    }
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    assert.equal(sum, 0xffff);
  }));
});

Deno.test("truncated packets, fragments and other protocols are not parsed", () => {
  const packet = formatDatagram(datagram());
  for (let length = 0; length < packet.length; length++) {
    assert.equal(parseDatagram(packet.slice(0, length)), null);
  }
  assert.equal(parseDatagram(packet.with(6, 0x20)), null);
  assert.equal(parseDatagram(packet.with(9, 6)), null);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (any) => {
    parseDatagram(any);
  }));
});

Deno.test("our mDNS responses are parsed back", () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  const addresses = fc.array(fc.nat({ max: 0xffffffff }), { minLength: 1, maxLength: 8 });
  fc.assert(fc.property(label, addresses, (one, all) => {
    const name = `${one}.local`;
    const message = parseMessage(addressResponse(name, all));
    assert.ok(message?.isResponse);
    assert.deepEqual(message.records, all.map((address) => ({ name, type: TYPE.a, address })));
    const probe = parseMessage(probeQuery(name, all));
    assert.deepEqual(probe?.questions, [{ name, type: TYPE.any }]);
    assert.equal(probe.records.length, all.length);
  }));
});

Deno.test("malformed DNS messages are parsed or rejected, and parsing ends", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (any) => {
      parseMessage(any);
      const header = Uint8Array.from([0, 0, 0x84, 0, 0, 2, 0, 2, 0, 0, 0, 0, ...any]);
      parseMessage(header);
    }),
    { numRuns: 500 },
  );
  // A name that points to itself.
  assert.equal(
    parseMessage(Uint8Array.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1])),
    null,
  );
});

Deno.test("discovered services are bounded plain text", () => {
  const ssdp = (text: string) => servicesOf(datagram({ port: 1900, payload: bytes(text) }));
  assert.deepEqual(ssdp("NOTIFY * HTTP/1.1\r\nNT: upnp:rootdevice\r\nUSN: x\r\n"), [
    "upnp:rootdevice",
  ]);
  assert.deepEqual(ssdp(`M-SEARCH * HTTP/1.1\r\nST: a\u0000b\r\nST: ${"x".repeat(200)}\r\n`), []);
  assert.deepEqual(ssdp("GET / HTTP/1.1\r\nST: x\r\n"), []);
  const question = probeQuery("office._ipp._tcp.local", []);
  assert.deepEqual(servicesOf(datagram({ payload: question })), ["_ipp._tcp"]);
  fc.assert(fc.property(fc.uint8Array(), fc.constantFrom(5353, 1900), (payload, port) => {
    const names = servicesOf(datagram({ payload, port }));
    assert.ok(names.length <= 32 && names.every((name) => name.length <= 128));
  }));
});

Deno.test("what a device says of its kind is bounded plain text of known keys", () => {
  const txt = (...texts: readonly string[]) => {
    const data = texts.flatMap((one) => [bytes(one).length, ...bytes(one)]);
    const record = [...[1, 120, 0], ...[0, TYPE.txt, 0, 1], ...[0, 0, 0, 9], 0, data.length];
    const header = [...[0, 0, 0x84, 0], ...[0, 0, 0, 1, 0, 0, 0, 0]];
    const payload = Uint8Array.from([...header, ...record, ...data]);
    return descriptionOf(datagram({ payload })).txt;
  };
  const printer = txt("MD=Laser 5", "ty=Übersicht", "note=the owner's desk", "pw=x", "md", "=x");
  assert.deepEqual(printer, { md: "Laser 5", ty: "Übersicht" });
  assert.deepEqual(txt("model=a\nb", `mfg=${"x".repeat(129)}`, "ve="), {});
  const ssdp =
    "NOTIFY * HTTP/1.1\r\nSERVER: Linux UPnP/1.0\r\nusn: uuid:1\r\nLOCATION: http://x\r\n";
  assert.deepEqual(descriptionOf(datagram({ port: 1900, payload: bytes(ssdp) })), {
    txt: {},
    ssdp: { SERVER: "Linux UPnP/1.0", USN: "uuid:1" },
  });
  fc.assert(fc.property(fc.uint8Array(), fc.constantFrom(5353, 1900), (payload, port) => {
    const { txt, ssdp } = descriptionOf(datagram({ payload, port }));
    for (const value of [...Object.values(txt), ...Object.values(ssdp)]) {
      assert.ok(value.length > 0 && value.length <= 128);
    }
  }));
});

Deno.test("a group is written as multicast address and port", () => {
  assert.deepEqual(parseGroup(" 239.255.255.250:1900 "), {
    address: "239.255.255.250",
    port: 1900,
  });
  const none = ["", "224.0.0.251", "223.255.255.255:1", "240.0.0.0:1", "224.0.0.1:0"];
  for (const text of [...none, "224.0.0.1:65536", "224.0.0.1:1:2", "ff02::fb:5353"]) {
    assert.equal(parseGroup(text), null, text);
  }
});

Deno.test("an older settings file keeps its valid fields and gets defaults", () => {
  const { value, rejected } = multicastDocument.read({
    Addresses: [
      { Address: "224.0.0.251:5353" },
      { Address: "10.0.0.1:5353", Tags: null },
      { Address: "239.255.255.250:1900", Tags: null },
      { Address: "224.0.0.251:5353" },
    ],
    MDNSName: null,
  });
  assert.deepEqual(value.Addresses.map(({ Address }) => Address), [
    "224.0.0.251:5353",
    "239.255.255.250:1900",
  ]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/Addresses/1", "/Addresses/3"]);
  assert.deepEqual([value.Disabled, value.MDNSName], [false, ""]);
});

/** What the relay is told with the devices `phone` on eth1 and `tv` on wlan1.5. */
function planned(state: "applied" | "model", disabled = false): RelayPlan {
  const config = network({
    phone: { ip: "192.168.2.6", tags: ["kids"] },
    tv: { ip: "192.168.2.10", tags: ["media"] },
    traveller: { ip: "192.168.2.14", tags: ["away"] },
  }, {
    multicast: { ...multicastDocument.fallback, Disabled: disabled, MDNSName: "home" },
  });
  const near = (address: string, on: string) => ({ address, link: on, mac: "02:00:00:00:00:01" });
  const desired = {
    neighbours: [
      near("192.168.2.6", "eth1"),
      near("192.168.2.10", "wlan1.5"),
      near("203.0.113.1", "eth0"),
    ],
    addresses: [
      { link: "eth1", address: "192.168.2.5/30" },
      { link: "wlan1.5", address: "192.168.2.9/30" },
      { link: "wg0", address: "192.168.2.13/30" },
      { link: "wg0", address: "192.168.2.17/30" },
      { link: "eth0", address: "203.0.113.2/24" },
    ],
  } as unknown as Desired;
  const engine = { config, desired, network: { state, detail: null } };
  return relayPlan({ engine, hostName: "sluice" });
}

Deno.test("the relay plan has every LAN interface with its devices' tags, and no uplink", () => {
  const plan = planned("applied");
  assert.deepEqual(plan.links, [
    link("eth1", { addresses: ["192.168.2.5"], senders: ["192.168.2.6"], tags: ["kids"] }),
    link("wg0", {
      addresses: ["192.168.2.13", "192.168.2.17"],
      senders: ["192.168.2.14"],
      tags: ["away"],
      peers: ["192.168.2.14"],
    }),
    link("wlan1.5", { addresses: ["192.168.2.9"], senders: ["192.168.2.10"], tags: ["media"] }),
  ]);
  assert.equal(plan.name, "home");
  assert.equal(plan.groups.length, 2);
});

Deno.test("the multicast of blocked, quarantined and undecided devices is not reflected, nor sent to them", () => {
  const tags = ["media"];
  const without: Readonly<Record<string, Omit<SmallDevice, "ip">>> = {
    blocked: { disabled: true, policies: ["lan"], tags },
    "blocked by its policy": { policies: ["disabled", "lan"], tags },
    quarantined: { policies: ["quarantine", "lan"], tags },
    undecided: { policies: ["noapi"] },
    guest: { policies: ["wan", "dns", "noapi", "guestonly"], tags: ["guest"] },
  };
  for (const [what, device] of Object.entries(without)) {
    for (const wg of [false, true]) {
      const [phone, address] = [{ ip: "192.168.2.6", ...device }, "192.168.2.6"];
      const config = network({ phone, tv: { ip: "192.168.2.10", tags } }, {
        multicast: multicastDocument.fallback,
      });
      const near = { address, link: "eth1", mac: "02:00:00:00:00:01" };
      const desired = {
        neighbours: [...wg ? [] : [near], { ...near, address: "192.168.2.10", link: "wlan1.5" }],
        addresses: [{ link: wg ? "wg0" : "eth1", address: "192.168.2.5/30" }],
      } as unknown as Desired;
      const engine = { config, desired, network: { state: "applied", detail: null } as const };
      const plan = relayPlan({ engine, hostName: "sluice" });
      const from = (link: string, source: string) =>
        relayTargets(plan, { link, datagram: datagram({ source: ip(source) }) });
      assert.deepEqual(from(wg ? "wg0" : "eth1", address), [], `${what} sends`);
      assert.deepEqual(from("wlan1.5", "192.168.2.10"), [], `${what} receives`);
      const links = plan.links.filter(({ senders }) => senders.length > 0);
      assert.deepEqual(links.map(({ name }) => name), ["wlan1.5"], what);
    }
  }
});

Deno.test("the mDNS name is the configured one, else the host name", () => {
  const state = { state: "applied", detail: null } as const;
  const name = (hostName: string) => {
    const config = network({}, { hostName, multicast: multicastDocument.fallback });
    const desired = { neighbours: [], addresses: [] } as unknown as Desired;
    return relayPlan({ engine: { config, desired, network: state }, hostName: "machine" }).name;
  };
  assert.deepEqual([name("gatehouse"), name("")], ["gatehouse", "machine"]);
});

Deno.test("the relay plan is empty while the network is not applied or multicast disabled", () => {
  for (const plan of [planned("model"), planned("applied", true)]) {
    assert.deepEqual([plan.links, plan.groups, plan.name], [[], [], null]);
  }
});

Deno.test("multicastd starts only with a network, with access to one socket", () => {
  const from = (SLUICE_NETWORK: string, SLUICE_SERVICES = "multicastd") =>
    parseSettings({ SLUICE_HOME: "/srv/s", SLUICE_NETWORK, SLUICE_SERVICES }, {
      root: "/opt/s",
      attached: false,
      services: SERVICES,
    });
  assert.ok(multicastd.autostart(from("on")) && multicastd.autostart(from("auto")));
  assert.ok(!multicastd.autostart(from("off")) && !multicastd.autostart(from("on", "dhcpd")));
  const permissions = grantedPermissions(multicastd, from("on"));
  assert.deepEqual(permissions.write, ["/srv/s/state/multicast/socket"]);
  assert.deepEqual([permissions.run, permissions.sys], [[], []]);
});
