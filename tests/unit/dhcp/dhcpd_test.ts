import assert from "node:assert/strict";
import fc from "fast-check";
import type { ClientMessage, LeaseDecision, Snapshot } from "../../../system/dhcp/api_schema.ts";
import { TokenBucket } from "../../../system/core/time/token_bucket.ts";
import { API_START_GRACE_MS, ApiContact } from "../../../system/dhcp/contact.ts";
import { BROADCAST, dhcpPacket, type OutgoingMessage } from "../../../system/dhcp/server/frame.ts";
import { LeaseCache } from "../../../system/dhcp/lease_cache.ts";
import { answersArp, arpProbe } from "../../../system/dhcp/server/arp_probe.ts";
import { Offers } from "../../../system/dhcp/server/offers.ts";
import { PreviousInterfaces } from "../../../system/dhcp/server/previous_interfaces.ts";
import { probeForServer } from "../../../system/dhcp/server/server_probe.ts";
import { Turns } from "../../../system/dhcp/server/turns.ts";
import { decodeDhcp, encodeDhcp, MESSAGE, OPTION } from "../../../system/dhcp/server/packet.ts";
import { ServedInterfaces } from "../../../system/dhcp/server/served_interfaces.ts";
import { configWith, mac } from "../../kit/builders/device_config.ts";

const LEASE: LeaseDecision = {
  Identifier: mac(1),
  IP: "192.168.2.6",
  RouterIP: "192.168.2.5",
  DNSIP: "192.168.2.1",
  LeaseTime: "24h0m0s",
  name: "tv",
  ntp: [],
};
const SNAPSHOT: Snapshot = {
  tag: "lan0  run-1",
  links: ["lan0"],
  serveAnyway: [],
  points: [],
  decided: true,
  leases: [{ mac: mac(1), link: "lan0", path: "lan0", lease: LEASE }],
};
const ASK: ClientMessage = {
  kind: "request",
  mac: mac(2),
  link: "lan0",
  name: "",
  clientId: "",
  wanted: "",
  server: "",
  vendorClass: "",
  parameters: "",
};

async function inFolder(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-dhcp-" });
  try {
    await work(`${folder}/snapshot.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("dhcpd restores the leases of its last run, each on the device's interface only", async () => {
  await inFolder(async (path) => {
    const first = new LeaseCache(path);
    await first.read();
    assert.deepEqual(first.snapshot.links, []);
    first.replace(SNAPSHOT);
    await first.settled();
    const next = new LeaseCache(path);
    await next.read();
    assert.deepEqual(next.snapshot, SNAPSHOT);
    assert.deepEqual(next.get(mac(1), "lan0"), LEASE);
    assert.equal(next.get(mac(1), "lan1"), null);
    assert.equal(next.get(mac(2), "lan0"), null);
  });
});

Deno.test("leases granted since the snapshot count; offers do not", async () => {
  await inFolder((path) => {
    const memory = new LeaseCache(path);
    memory.store({ ...ASK, kind: "discover" }, LEASE);
    assert.equal(memory.get(mac(2), "lan0"), null);
    memory.store(ASK, LEASE);
    assert.deepEqual(memory.get(mac(2), "lan0"), LEASE);
    return Promise.resolve();
  });
});

Deno.test("an invalid snapshot file is ignored", async () => {
  await inFolder(async (path) => {
    for (const text of ["", "{", "[]", '{"tag":1}']) {
      await Deno.writeTextFile(path, text);
      const memory = new LeaseCache(path);
      await memory.read();
      assert.deepEqual([memory.snapshot.links, memory.get(mac(1), "lan0")], [[], null]);
    }
  });
});

Deno.test("a token bucket passes its burst, then its rate", () => {
  let now = 0;
  const bucket = new TokenBucket(10, 3, () => now);
  const taken = (tries: number) =>
    Array.from({ length: tries }, () => bucket.take()).filter(Boolean);
  assert.equal(taken(9).length, 3);
  now = 200;
  assert.equal(taken(9).length, 2);
  now = 100_000;
  assert.equal(taken(9).length, 3);
});

Deno.test("so many calls run at the same time, and the others in their order, whatever becomes of one", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const calls = [0, 1, 2, 3].map((n) => ({ n, end: Promise.withResolvers<number>() }));
  const results = calls.map(({ n, end }) =>
    turns.run(() => {
      begun.push(n);
      return end.promise;
    })
  );
  assert.deepEqual(begun, [0, 1]);
  calls[1]!.end.reject(new Error("refused"));
  await assert.rejects(results[1]!);
  assert.deepEqual(begun, [0, 1, 2]);
  for (const n of [0, 2]) calls[n]!.end.resolve(n);
  assert.deepEqual(await Promise.all([results[0], results[2]]), [0, 2]);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  calls[3]!.end.resolve(3);
  assert.equal(await results[3], 3);
  assert.equal(await turns.run(() => Promise.resolve(4)), 4);
});

Deno.test("offers are withdrawn only when no other address is free, the oldest first", () => {
  const offers = new Offers();
  const config = configWith({ dhcp: { TinyNets: ["192.168.2.0/24"], LeaseTime: "1h0m0s" } });
  const seek = (client: number) => {
    const found = offers.find(config, { mac: mac(client), wanted: "", reserved: [], now: 0 });
    if (found !== null) offers.offer(mac(client), found, 0);
    return found;
  };
  const found = Array.from({ length: 64 }, (_, client) => seek(client));
  assert.equal(new Set(found).size, 64);
  assert.equal(seek(64), found[0]);
  assert.equal(offers.offeredTo(mac(0), 0), null);
  assert.equal(offers.offeredTo(mac(1), 0), found[1]);
});

Deno.test("the DHCP server probe sends two DISCOVERs and returns the offering server", async () => {
  let now = 0;
  const sent: OutgoingMessage[] = [];
  const link = (answer: (probe: Uint8Array) => Uint8Array | null) => ({
    send: (one: OutgoingMessage) => sent.push(one) > 0,
    receive: () => {
      now += 250;
      return Promise.resolve(answer(sent.at(-1)!.message));
    },
    clock: () => now,
    mac: mac(9),
  });
  const { signal } = new AbortController();
  assert.equal(await probeForServer(link(() => null), signal), null);
  assert.equal(sent.length, 2);
  assert.equal(decodeDhcp(sent[0]!.message)?.mac, mac(9), "in its own name");
  const { source, address, mac: target } = sent[0]!;
  assert.deepEqual([source, address, target], ["0.0.0.0", "255.255.255.255", "ff:ff:ff:ff:ff:ff"]);
  assert.equal(await probeForServer(link((probe) => probe), signal), null, "its own words");
  const offer = (probe: Uint8Array) =>
    encodeDhcp({
      type: MESSAGE.offer,
      request: decodeDhcp(probe)!,
      yiaddr: "10.0.0.5",
      options: [[OPTION.serverId, Uint8Array.of(10, 0, 0, 1)]],
    });
  assert.equal(await probeForServer(link(offer), signal), "10.0.0.1");
  assert.equal(await probeForServer(link(offer), AbortSignal.abort()), null);
});

Deno.test("a DHCP packet has the given source and correct checksums", () => {
  fc.assert(fc.property(fc.uint8Array({ minLength: 240, maxLength: 600 }), (bytes) => {
    const message = Uint8Array.from(bytes);
    const packet = dhcpPacket({ message, source: "192.168.2.1", ...BROADCAST }, {
      from: 67,
      to: 68,
    });
    const view = new DataView(packet.buffer);
    assert.equal(view.getUint32(12), 0xc0a80201);
    assert.equal(view.getUint32(16), 0xffffffff);
    assert.deepEqual([view.getUint16(20), view.getUint16(22)], [67, 68]);
    assert.equal(onesSum(packet.subarray(0, 20)), 0xffff);
    // RFC 768: the addresses, the protocol and the length count as well.
    const pseudo = [...packet.subarray(12, 20), 0, 17, ...packet.subarray(24, 26)];
    assert.equal(onesSum(Uint8Array.from([...pseudo, ...packet.subarray(20)])), 0xffff);
    assert.deepEqual(packet.subarray(28), message);
  }));
  const message = new Uint8Array(240);
  assert.throws(() => dhcpPacket({ message, source: "", ...BROADCAST }, { from: 67, to: 68 }));
});

/** Ones' complement sum of the words: 0xffff where a checksum in them is right. */
function onesSum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at]! << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 65536);
  return sum;
}

Deno.test("an ARP probe has no sender address, and only the probed host's reply counts", async () => {
  let now = 0;
  const owner = { mac: mac(1), address: "192.168.2.6" };
  const probes: Uint8Array<ArrayBuffer>[] = [];
  const link = (answer: Uint8Array | null) => ({
    mac: "02:00:00:00:ff:01",
    send: (packet: Uint8Array<ArrayBuffer>, to: string) => {
      assert.equal(to, owner.mac);
      return probes.push(packet) > 0;
    },
    receive: () => {
      now += 50;
      return Promise.resolve(answer);
    },
    clock: () => now,
  });
  const answer = (change: (bytes: Uint8Array) => void = () => {}): Uint8Array => {
    const bytes = arpProbe(owner.mac, "192.168.2.5");
    bytes.set([0, 2], 6);
    bytes.set([192, 168, 2, 6], 14);
    change(bytes);
    return bytes;
  };
  const still = (what: Uint8Array | null, signal = new AbortController().signal) =>
    answersArp(link(what), owner, signal);
  assert.equal(await still(null), false);
  assert.equal(probes.length, 3);
  assert.deepEqual(
    [...probes[0]!.subarray(14, 18)],
    [0, 0, 0, 0],
    "no table of a neighbour changes",
  );
  assert.equal(probes[0]!.subarray(24).toHex(), "c0a80206");
  assert.equal(await still(answer()), true);
  assert.equal(await still(answer((bytes) => bytes[13] = 9)), false, "another MAC address");
  assert.equal(await still(answer((bytes) => bytes[17] = 9)), false, "another address");
  assert.equal(await still(answer((bytes) => bytes[7] = 1)), false, "a question");
  assert.equal(await still(answer().subarray(0, 27)), false, "cut off");
  assert.equal(await still(answer(), AbortSignal.abort()), false);
});

Deno.test("interfaces are served as they appear, disappear, and come back under the same name", async () => {
  const there = new Map([["lan0", 1]]), open = new Map<string, number>(), logged: string[] = [];
  const ending = new AbortController();
  const foreign = new Set<string>(), probed: string[] = [], beside: string[] = [];
  let now = 0;
  const note = (_: string, message: string) => void logged.push(message);
  const links = new ServedInterfaces({
    open(link) {
      const index = there.get(link);
      if (index === undefined) throw new Error("There is no such link");
      open.set(link, index);
    },
    close: (link) => void open.delete(link),
    isPresent: (link) => there.has(link) && there.get(link) === (open.get(link) ?? there.get(link)),
    probe: (link) => {
      probed.push(link);
      return Promise.resolve(foreign.has(link) ? "10.0.0.1" : null);
    },
    reportForeign: ({ link, server, serving }) => {
      if (serving && server !== null) beside.push(link);
      return Promise.resolve(server !== null);
    },
    clock: () => now,
    ending: ending.signal,
    log: { info: note, warn: note, debug: () => {} },
  });
  const wanted = (names: readonly string[], confirmed: readonly string[] = []) => {
    links.reconcile({ links: [...names], serveAnyway: [...confirmed] });
    return new Promise((resolve) => setTimeout(resolve));
  };
  await wanted(["lan0", "lan1"]);
  assert.deepEqual([...open], [["lan0", 1]], "lan1 is not there yet");
  there.set("lan1", 2);
  await wanted(["lan0", "lan1"]);
  assert.deepEqual([...open.keys()], ["lan0", "lan1"]);
  there.set("lan1", 7);
  await wanted(["lan0", "lan1"]);
  assert.deepEqual(open.get("lan1"), 7, "another link of the same name is probed again");
  there.delete("lan1");
  await wanted(["lan0", "lan1"]);
  assert.deepEqual([...open.keys()], ["lan0"]);
  foreign.add("wlan0.1").add("lan2");
  for (const link of foreign) there.set(link, 9);
  await wanted(["lan2", "wlan0.1"], ["wlan0.1"]);
  assert.deepEqual([...open.keys()], ["wlan0.1"], "lan0 is not wanted, lan2 has a server");
  assert.match(logged.at(-1)!, /another DHCP server answers there/);
  const lines = logged.length;
  await wanted(["lan2", "wlan0.1"], ["wlan0.1"]);
  assert.equal(logged.length, lines, "logged once");
  const looks = probed.length;
  now += 59_999;
  await wanted(["lan2"]);
  assert.equal(probed.length, looks);
  now++;
  await wanted(["lan2"]);
  assert.deepEqual([probed.length, links.has("lan2")], [looks + 1, false], "still there");
  foreign.delete("lan2");
  now += 60_000;
  await wanted(["lan2"]);
  assert.ok(links.has("lan2"), "the other server is gone");
  foreign.add("lan2");
  now += 599_999;
  await wanted(["lan2"]);
  assert.deepEqual(beside, []);
  now++;
  await wanted(["lan2"]);
  assert.deepEqual(
    [beside, links.has("lan2")],
    [["lan2"], true],
    "one that comes later is reported",
  );
  await wanted([]);
  await wanted(["lan2"]);
  assert.equal(links.has("lan2"), false);
  await wanted(["lan2", "wlan0.1"], ["lan2", "wlan0.1"]);
  assert.ok(links.has("lan2"), "an admin confirmed it");
  await links.close();
  assert.equal(open.size, 0);
});

Deno.test("an api that has just restarted removes no interface before it has read its kernel", () => {
  let now = 0;
  const contact = new ApiContact(() => now);
  const accepts = (known: readonly string[], links: string[], decided = false): boolean =>
    contact.accepts(known, { links, decided });
  assert.equal(contact.isUp, false);
  assert.equal(accepts(["lan0"], []), false, "it starts");
  assert.equal(contact.isUp, true);
  assert.equal(accepts(["lan0"], ["lan1"]), true, "whatever it names counts");
  assert.equal(accepts([], []), true, "nothing is lost by it");
  assert.equal(accepts(["lan0"], [], true), true, "the network is applied: there are none");
  now = API_START_GRACE_MS;
  assert.equal(accepts(["lan0"], []), true, "so it is decided");
  contact.lost();
  assert.equal(contact.isUp, false);
  assert.equal(accepts(["lan0"], []), false, "it starts again");
});

Deno.test("a device is served on another interface only when it is gone from the previous one", async () => {
  let now = 0;
  const there = new Set(["lan0"]);
  const probed: string[] = [], reported: string[] = [];
  const previous = new PreviousInterfaces({
    answers: (link) => {
      probed.push(link);
      if (link === "gone0") return Promise.reject(new Error("no such interface"));
      return Promise.resolve(there.has(link));
    },
    report: ({ from, to }) => reported.push(`${from} ${to}`),
    clock: () => now,
  });
  const claim = (n: number, from: string, to: string) =>
    previous.isGone({ neighbour: { mac: mac(n), address: "192.168.2.6" }, from, to });
  assert.deepEqual(
    await Promise.all([claim(1, "lan0", "lan1"), claim(1, "lan0", "lan1")]),
    [false, false],
  );
  assert.deepEqual([probed, reported], [["lan0"], ["lan0 lan1"]], "one probe, one report");
  assert.equal(await claim(1, "gone0", "lan1"), true);
  assert.equal(await claim(2, "lan2", "lan1"), true);
  there.clear();
  now = 5000;
  assert.equal(await claim(1, "lan0", "lan1"), true, "probed again");
  there.add("lan0");
  now = 10_000;
  assert.equal(await claim(1, "lan0", "lan1"), false);
  assert.deepEqual(reported, ["lan0 lan1"], "once a minute");
  // Claims from one interface cannot have everything probed, and are refused beyond.
  now = 100_000;
  there.clear();
  const many = await Promise.all([3, 4, 5, 6, 7].map((n) => claim(n, "lan0", "lan1")));
  assert.deepEqual(many, [true, true, true, true, false]);
  await previous.settled();
});
