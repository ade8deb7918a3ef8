import assert from "node:assert/strict";
import { dnsSockets, plainDatagramSocket } from "../../../system/host/datagrams/dns_sockets.ts";
import { plainUpstreamNetwork } from "../../../system/host/datagrams/upstream_sockets.ts";
import { socketBed } from "../../kit/dns/socket_bed.ts";
import { addressesOf } from "../../kit/dns/bed.ts";
import { readMessage, wireA, wireMessage, wireOpt, wireQuery } from "../../kit/dns/wire.ts";

/** Clients, the questions of each, and how many of them are on their way at once. */
const CLIENTS = 3, QUESTIONS = 2000, AT_ONCE = 30;
const LISTEN = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
/** Milliseconds after which a question counts as unanswered. */
const PATIENCE = 10_000;

const names = Array.from(
  { length: 40 },
  (_, i) => ({ name: `h${i}.lan`, address: `10.1.0.${i}`, identity: "" }),
);
const blocked = Array.from({ length: 50 }, (_, i) => `ads${i}.test`);

/** The address of a name outside: other names have others, so that no answer is taken for another's. */
function outsideAddress(name: string): string {
  let hash = 0;
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return `198.51.${hash % 99}.${Math.floor(hash / 99) % 250}`;
}

/** The name of a question, and what must be answered to it. */
function question(client: number, i: number): { readonly name: string; readonly answer: string } {
  const n = i * 7919 % 1000;
  const resolved = (name: string) => ({ name, answer: outsideAddress(name) });
  switch (i % 8) {
    case 0:
      return { name: `h${n % 40}.lan`, answer: `10.1.0.${n % 40}` };
    case 1:
      return { name: `ads${n % 50}.test`, answer: "code 3" };
    case 2:
      return { name: `below.ads${n % 50}.test`, answer: "code 3" };
    case 3:
      // One letter from a blocked name, and a name that a blocked one ends with.
      return resolved(n % 2 === 0 ? `xads${n % 50}.test` : `ads${n % 50}.test.example`);
    case 4:
      return { name: `h${40 + n % 9}.lan`, answer: "code 3" };
    case 5:
      return resolved(`new${i}.of${client}.example`);
    default:
      return resolved(`old${n % 60}.example`);
  }
}

/** A resolver outside that also sends answers that are none: other ids, other names, other senders. */
function upstreamServer() {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const spoofer = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const serve = async (): Promise<void> => {
    let count = 0;
    for await (const [bytes, from] of socket) {
      const { id, questions } = readMessage(bytes);
      const queried = questions[0]!.name;
      const reply = (address: string, more = {}) =>
        wireMessage({
          ...{ id, flags: 0x8180, questions, additional: [wireOpt()] },
          answers: [wireA(queried, address, 300)],
          ...more,
        });
      if (count++ % 5 === 0) {
        const other = questions.map((one) => ({ ...one, name: `x${one.name.slice(1)}` }));
        await socket.send(reply("192.0.2.66", { id: id ^ 0x1111 }), from);
        await socket.send(reply("192.0.2.67", { questions: other }), from);
        await spoofer.send(reply("192.0.2.68"), from);
      }
      await socket.send(reply(outsideAddress(queried.toLowerCase())), from);
    }
  };
  return {
    port: (socket.addr as Deno.NetAddr).port,
    ended: serve(),
    close() {
      socket.close();
      spoofer.close();
    },
  };
}

/** Asks all its questions; answers those that were answered otherwise than they must be, or not at all. */
async function ask(client: number, port: number): Promise<readonly string[]> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const faults: string[] = [];
  const late = setTimeout(() => socket.close(), PATIENCE);
  try {
    for (let first = 0; first < QUESTIONS; first += AT_ONCE) {
      const waited = new Map<number, { readonly text: string; readonly from: string }>();
      for (let i = first; i < Math.min(QUESTIONS, first + AT_ONCE); i++) {
        const { name, answer } = question(client, i);
        const queryName = i % 3 === 0 ? name.toUpperCase() : name;
        const hostname = LISTEN[i % LISTEN.length]!;
        waited.set(i, { text: `${queryName} ${answer}`, from: hostname });
        const edns = i % 2 === 0 ? { additional: [wireOpt()] } : {};
        const bytes = wireQuery(queryName, 1, { id: i, ...edns });
        await socket.send(bytes, { transport: "udp", hostname, port });
      }
      while (waited.size > 0) {
        const [bytes, from] = await socket.receive();
        const message = readMessage(bytes);
        const wanted = waited.get(message.id);
        waited.delete(message.id);
        const text = `${message.questions[0]?.name} ${addressesOf(message)}`;
        const { hostname } = from as Deno.NetAddr;
        if (wanted?.text !== text || wanted.from !== hostname) {
          faults.push(`${text} from ${hostname} instead of ${wanted?.text} from ${wanted?.from}`);
        }
      }
    }
    socket.close();
  } catch (error) {
    faults.push(`Not all was answered: ${error}`);
  } finally {
    clearTimeout(late);
  }
  return faults;
}

/** Both ways to take and to ask; the first must be to be had where tests run. */
const SOCKETS = [
  ["batched", dnsSockets({ info: (event) => assert.fail(event) })],
  ["plain", { datagrams: plainDatagramSocket, upstream: plainUpstreamNetwork() }],
] as const;

for (const [kind, sockets] of SOCKETS) {
  Deno.test(`under load every query gets its own response, from the address it was sent to: ${kind}`, async () => {
    const server = upstreamServer();
    const bed = socketBed({ sockets, listen: LISTEN, upstreamPort: server.port, names, blocked });
    try {
      const faults = await Promise.all(
        Array.from({ length: CLIENTS }, (_, client) => ask(client, bed.port)),
      );
      assert.deepEqual(faults.flat(), []);
      const { queries, upstreamQueries, cacheHits, blocked, local, shed } = bed.resolver.counters;
      assert.equal(queries, CLIENTS * QUESTIONS);
      assert.ok(
        upstreamQueries >= CLIENTS * QUESTIONS / 8 && cacheHits > 0 && blocked > 0 && local > 0,
      );
      assert.equal(shed, 0);
      assert.equal(bed.resolver.lookups.running, 0);
    } finally {
      await bed.close();
      server.close();
      await server.ended;
    }
  });
}
