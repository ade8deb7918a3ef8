import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type AnnouncingLink,
  gatewayAnnouncement,
  GatewayAnnouncements,
  lastPaths,
  type Move,
  movedDevices,
} from "../../../system/dhcp/server/gateway_announcement.ts";
import { mac } from "../../kit/builders/device_config.ts";

const GATEWAY_MAC = "02:00:00:00:ff:01";
const LEASE = {
  Identifier: mac(1),
  IP: "192.168.2.6",
  RouterIP: "192.168.2.5",
  DNSIP: "192.168.2.1",
  LeaseTime: "24h0m0s",
  name: "phone",
  ntp: [],
};

function move(n: number, link: string): Move {
  return { mac: mac(n), address: LEASE.IP, gateway: LEASE.RouterIP, link };
}

Deno.test("an announcement is an ARP reply of RFC 826 for one device", () => {
  const hex = gatewayAnnouncement(GATEWAY_MAC, move(1, "wlan1.4097")).toHex();
  // Hardware, protocol, lengths, operation; then the sender and the target.
  assert.equal(hex, "0001080006040002" + "02000000ff01c0a80205" + "020000000001c0a80206");
  const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
  fc.assert(fc.property(bytes(6), bytes(4), bytes(6), bytes(4), (from, gateway, to, address) => {
    const text = (one: Uint8Array) => one.toHex().replaceAll(/..(?!$)/g, "$&:");
    const packet = gatewayAnnouncement(text(from), {
      mac: text(to),
      address: address.join("."),
      gateway: gateway.join("."),
      link: "wlan1.4097",
    });
    assert.deepEqual([...packet.subarray(8)], [...from, ...gateway, ...to, ...address]);
  }));
});

Deno.test("devices whose path leads to another interface have moved", () => {
  const at = (paths: Readonly<Record<number, string | null>>) => ({
    leases: Object.entries(paths).map(([n, path]) => ({
      mac: mac(Number(n)),
      link: path,
      path,
      lease: LEASE,
    })),
  });
  type Paths = Readonly<Record<number, string | null>>;
  const moved = (...snapshots: readonly Paths[]) => {
    const before = snapshots.slice(0, -1).reduce(
      (known, snapshot) => lastPaths(known, at(snapshot)),
      new Map() as ReturnType<typeof lastPaths>,
    );
    return movedDevices(before, at(snapshots.at(-1)!));
  };
  assert.deepEqual(moved({ 1: "wlan0.1" }, { 1: "wlan1.1" }), [move(1, "wlan1.1")]);
  assert.deepEqual(moved({ 1: "lan0" }, { 1: null }, { 1: "mesh-leaf1" }), [
    move(1, "mesh-leaf1"),
  ]);
  assert.deepEqual(moved({ 1: "lan0" }, { 1: null }, { 1: "lan0" }), []);
  assert.deepEqual(moved({ 1: null }, { 1: "lan0" }), [], "until the kernel was loaded");
  assert.deepEqual(moved({ 1: "lan0" }, {}, { 1: "lan0" }), [move(1, "lan0")], "listed again");
  assert.deepEqual(moved({ 1: "lan0" }, { 1: "lan0" }), []);
  assert.deepEqual(moved({ 1: "lan0" }, { 1: null }), [], "disabled, or its interface is gone");
  assert.deepEqual(moved({}, { 1: "lan0" }), [move(1, "lan0")], "leased between two snapshots");
  assert.deepEqual(moved({ 1: "lan0" }, {}), [], "deleted");
});

/** Announcements on interfaces that can be there or not, whose pauses end one by one. */
function announcing(ending = new AbortController()) {
  const present = new Set(["wlan0.1", "wlan1.1"]);
  const broken = new Set<string>();
  const sent: string[] = [], failed: string[] = [];
  const pauses: (() => void)[] = [];
  let open = 0;
  const announcements = new GatewayAnnouncements({
    open(link): AnnouncingLink | null {
      if (broken.has(link)) throw new Error("refused");
      if (!present.has(link)) return null;
      open++;
      return {
        mac: GATEWAY_MAC,
        send: (_, to) => void sent.push(`${to} ${link}`),
        close: () => void open--,
      };
    },
    failed: (link) => void failed.push(link),
    wait: () => new Promise((resolve) => pauses.push(resolve)),
    ending: ending.signal,
  });
  return {
    ...{ announcements, present, broken, failed, ending },
    openLinks: () => open,
    /** What was sent since the last time. */
    taken: () => sent.splice(0),
    /** Ends the pauses that last; answers what was sent then. */
    async next(): Promise<readonly string[]> {
      for (const end of pauses.splice(0)) end();
      await new Promise((resolve) => setTimeout(resolve));
      return sent.splice(0);
    },
  };
}

Deno.test("a move is announced three times, also on an interface that appears late", async () => {
  const { announcements, present, taken, next, openLinks } = announcing();
  announcements.announce([move(1, "wlan1.1"), move(2, "wlan2.1")]);
  assert.deepEqual(taken(), [`${mac(1)} wlan1.1`]);
  present.add("wlan2.1");
  const both = [`${mac(1)} wlan1.1`, `${mac(2)} wlan2.1`];
  assert.deepEqual([await next(), await next()], [both, both]);
  await announcements.settled();
  assert.deepEqual([await next(), openLinks()], [[], 0]);
});

Deno.test("of two moves of a device the last is announced", async () => {
  const { announcements, taken, next } = announcing();
  announcements.announce([move(1, "wlan1.1")]);
  announcements.announce([move(1, "wlan0.1")]);
  assert.deepEqual(taken(), [`${mac(1)} wlan1.1`, `${mac(1)} wlan0.1`]);
  const last = [`${mac(1)} wlan0.1`];
  assert.deepEqual([await next(), await next(), await next()], [last, last, []]);
  await announcements.settled();
});

Deno.test("an interface that cannot be used keeps no other device waiting", () => {
  const { announcements, broken, failed, taken } = announcing();
  broken.add("wlan0.1");
  announcements.announce([move(1, "wlan0.1"), move(2, "wlan1.1")]);
  assert.deepEqual([taken(), failed], [[`${mac(2)} wlan1.1`], ["wlan0.1"]]);
});

Deno.test("nothing is announced after the end", async () => {
  const { announcements, ending, taken, next } = announcing();
  announcements.announce([move(1, "wlan1.1")]);
  assert.deepEqual(taken(), [`${mac(1)} wlan1.1`]);
  ending.abort();
  assert.deepEqual(await next(), []);
  await announcements.settled();
});
