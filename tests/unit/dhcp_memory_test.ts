import assert from "node:assert/strict";
import type { Ask, Snapshot, Told } from "../../system/dhcp/ask_schema.ts";
import { Bucket } from "../../system/dhcp/bucket.ts";
import { LeaseMemory } from "../../system/dhcp/memory.ts";
import { Offers } from "../../system/dhcp/offers.ts";
import { probe } from "../../system/dhcp/probe.ts";
import { decodeDhcp, encodeDhcp, MESSAGE, OPTION } from "../../system/dhcp/packet.ts";
import { configWith, mac } from "../kit/device_config.ts";

const TOLD: Told = {
  Identifier: mac(1),
  IP: "192.168.2.6",
  RouterIP: "192.168.2.5",
  DNSIP: "192.168.2.1",
  LeaseTime: "24h0m0s",
  name: "tv",
};
const SNAPSHOT: Snapshot = {
  tag: "lan0  run-1",
  links: ["lan0"],
  confirmed: [],
  leases: [{ mac: mac(1), link: "lan0", told: TOLD }],
};
const ASK: Ask = {
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

Deno.test("what dhcpd knew is known to its next run, and only where the device was", async () => {
  await inFolder(async (path) => {
    const first = new LeaseMemory(path);
    await first.read();
    assert.deepEqual(first.snapshot.links, []);
    first.replace(SNAPSHOT);
    await first.settled();
    const next = new LeaseMemory(path);
    await next.read();
    assert.deepEqual(next.snapshot, SNAPSHOT);
    assert.deepEqual(next.of(mac(1), "lan0"), TOLD);
    assert.equal(next.of(mac(1), "lan1"), null);
    assert.equal(next.of(mac(2), "lan0"), null);
  });
});

Deno.test("what a client was promised since the snapshot counts; an offer does not", async () => {
  await inFolder((path) => {
    const memory = new LeaseMemory(path);
    memory.remember({ ...ASK, kind: "discover" }, TOLD);
    assert.equal(memory.of(mac(2), "lan0"), null);
    memory.remember(ASK, TOLD);
    assert.deepEqual(memory.of(mac(2), "lan0"), TOLD);
    return Promise.resolve();
  });
});

Deno.test("a snapshot file that is none counts as nothing", async () => {
  await inFolder(async (path) => {
    for (const text of ["", "{", "[]", '{"tag":1}']) {
      await Deno.writeTextFile(path, text);
      const memory = new LeaseMemory(path);
      await memory.read();
      assert.deepEqual([memory.snapshot.links, memory.of(mac(1), "lan0")], [[], null]);
    }
  });
});

Deno.test("a bucket lets its burst through, then its rate", () => {
  let now = 0;
  const bucket = new Bucket(10, 3, () => now);
  const taken = (tries: number) =>
    Array.from({ length: tries }, () => bucket.take()).filter(Boolean);
  assert.equal(taken(9).length, 3);
  now = 200;
  assert.equal(taken(9).length, 2);
  now = 100_000;
  assert.equal(taken(9).length, 3);
});

Deno.test("an offer gives way only when nothing else is left, and the oldest first", () => {
  const offers = new Offers();
  const config = configWith({ dhcp: { TinyNets: ["192.168.2.0/24"], LeaseTime: "1h0m0s" } });
  const seek = (card: number) => {
    const found = offers.find(config, { mac: mac(card), wanted: "", reserved: [], now: 0 });
    if (found !== null) offers.hold(mac(card), found, 0);
    return found;
  };
  const found = Array.from({ length: 64 }, (_, card) => seek(card));
  assert.equal(new Set(found).size, 64);
  assert.equal(seek(64), found[0]);
  assert.equal(offers.of(mac(0), 0), null);
  assert.equal(offers.of(mac(1), 0), found[1]);
});

Deno.test("a probe asks twice and names who offers, and takes no other's answer", async () => {
  let now = 0;
  const sent: Uint8Array<ArrayBuffer>[] = [];
  const link = (answer: (asked: Uint8Array) => Uint8Array | null) => ({
    send: (bytes: Uint8Array<ArrayBuffer>) => sent.push(bytes) > 0,
    receive: () => {
      now += 250;
      return Promise.resolve(answer(sent.at(-1)!));
    },
    clock: () => now,
  });
  const { signal } = new AbortController();
  assert.equal(await probe(link(() => null), signal), null);
  assert.equal(sent.length, 2);
  assert.equal(await probe(link((asked) => asked), signal), null, "its own words");
  const offer = (asked: Uint8Array) =>
    encodeDhcp({
      type: MESSAGE.offer,
      request: decodeDhcp(asked)!,
      yiaddr: "10.0.0.5",
      options: [[OPTION.serverId, Uint8Array.of(10, 0, 0, 1)]],
    });
  assert.equal(await probe(link(offer), signal), "10.0.0.1");
  assert.equal(await probe(link(offer), AbortSignal.abort()), null);
});
