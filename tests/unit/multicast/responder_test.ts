import assert from "node:assert/strict";
import { formatIpv4, parseIpv4 } from "../../../system/core/net/net.ts";
import type { Datagram } from "../../../system/multicast/datagram.ts";
import { addressResponse, parseMessage, probeQuery } from "../../../system/multicast/mdns.ts";
import { Responder } from "../../../system/multicast/responder.ts";
import type { RelayInterface } from "../../../system/multicast/schema.ts";

const ip = (text: string): number => parseIpv4(text)!;

function datagram(parts: Partial<Datagram>): Datagram {
  return {
    source: ip("192.168.2.6"),
    destination: ip("224.0.0.251"),
    ttl: 255,
    sourcePort: 5353,
    port: 5353,
    payload: new Uint8Array(),
    ...parts,
  };
}

const LINK: RelayInterface = {
  name: "lan0",
  addresses: ["192.168.2.1", "192.168.2.5"],
  senders: [],
  tags: [],
  peers: [],
};

/** A responder whose name is its own. */
function ready(): Responder {
  const responder = new Responder("sluice.local", LINK, 0);
  for (let now = 0; now < 5000; now += 50) responder.tick(now);
  return responder;
}

Deno.test("our mDNS name is probed three times and announced twice", () => {
  const responder = new Responder("sluice.local", LINK, 0);
  const sent: string[] = [];
  for (let now = 0; now < 10_000; now += 50) {
    const one = responder.tick(now);
    if (one) sent.push(`${now} ${parseMessage(one.payload)!.isResponse ? "announce" : "probe"}`);
  }
  assert.deepEqual(sent, ["0 probe", "250 probe", "500 probe", "750 announce", "1750 announce"]);
});

Deno.test("a query for our name is answered with the address on that interface", () => {
  const ask = (name: string, parts: Partial<Datagram> = {}) =>
    ready().handle(datagram({ payload: probeQuery(name, []), ...parts }));
  const answer = ask("sluice.local");
  assert.equal(formatIpv4(answer!.source), "192.168.2.5");
  assert.equal(answer?.ttl, 255);
  assert.deepEqual(
    parseMessage(answer!.payload)!.records.map(({ address }) => formatIpv4(address!)),
    ["192.168.2.5", "192.168.2.1"],
  );
  assert.equal(ask("other.local"), null);
  const plain = ask("sluice.local", { sourcePort: 40000 });
  assert.deepEqual([plain?.port, plain?.destination], [40000, ip("192.168.2.6")]);
});

Deno.test("a name in use by another host is given up", () => {
  const responder = ready();
  const rival = addressResponse("sluice.local", [ip("192.168.2.6")]);
  assert.equal(responder.handle(datagram({ payload: rival })), null);
  assert.ok(responder.taken);
  const question = datagram({ payload: probeQuery("sluice.local", []) });
  assert.equal(responder.handle(question), null);
  assert.equal(responder.tick(99_999), null, "nor probed for again soon");
  // The other machine may be gone by then: the name is probed for as at the start (RFC 6762 9).
  const sent: string[] = [];
  for (let now = 400_000; now < 405_000; now += 50) {
    const one = responder.tick(now);
    if (one) sent.push(parseMessage(one.payload)!.isResponse ? "announce" : "probe");
  }
  assert.deepEqual(sent, ["probe", "probe", "probe", "announce", "announce"]);
  assert.equal(responder.taken, false);
  assert.ok(responder.handle(question));
  assert.equal(responder.handle(datagram({ payload: rival })), null);
  assert.ok(responder.taken, "and given up again while it is there");
});
