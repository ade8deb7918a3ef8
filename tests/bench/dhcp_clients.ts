/**
 * Run inside a lab client: so many made-up cards get an address each, some at a time; prints what it
 * took as JSON. Arguments: the link, how many cards, how many at once, the first card's number.
 */
import { bindSocket } from "../kit/bound_socket.ts";
import { clientMessage, MESSAGE, serverAnswer } from "../kit/dhcp_client.ts";

const [link = "", count = "", width = "", first = ""] = Deno.args;
/** Milliseconds after which a client says it again, and how often it does. */
const PATIENCE = 1000, TRIES = 10;

const socket = bindSocket(link, 68);
const waiting = new Map<number, (bytes: Uint8Array) => void>();

async function listen(): Promise<void> {
  for (let bytes = await socket.receive(); bytes !== null; bytes = await socket.receive()) {
    const xid = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4);
    waiting.get(xid)?.(bytes);
  }
}

async function ask(message: Uint8Array<ArrayBuffer>, xid: number) {
  for (let turn = 0; turn < TRIES; turn++) {
    const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
    const timer = setTimeout(() => resolve(null), PATIENCE);
    waiting.set(xid, resolve);
    socket.send(message, "255.255.255.255", 67);
    const answer = await promise;
    clearTimeout(timer);
    waiting.delete(xid);
    if (answer !== null) return serverAnswer(answer);
  }
  return null;
}

const took: number[] = [];
const addresses = new Set<string>();
let next = 0;

async function client(): Promise<void> {
  while (next < Number(count)) {
    const number = Number(first) + next++;
    const part = (shift: number) => (number >> shift & 255).toString(16).padStart(2, "0");
    const mac = `02:be:00:${part(16)}:${part(8)}:${part(0)}`;
    const started = performance.now();
    const common = { mac, broadcast: true };
    const offer = await ask(
      clientMessage({ ...common, type: MESSAGE.discover, xid: number * 2 }),
      number * 2,
    );
    if (offer === null) continue;
    const id = offer.options[54] ?? "";
    const ack = await ask(
      clientMessage({
        ...common,
        type: MESSAGE.request,
        xid: number * 2 + 1,
        requested: offer.yiaddr,
        server: [0, 2, 4, 6].map((at) => parseInt(id.slice(at, at + 2), 16)).join("."),
      }),
      number * 2 + 1,
    );
    if (ack?.type !== MESSAGE.ack) continue;
    took.push(performance.now() - started);
    addresses.add(ack.yiaddr);
  }
}

void listen();
const started = performance.now();
await Promise.all(Array.from({ length: Number(width) }, client));
const seconds = (performance.now() - started) / 1000;
took.sort((a, b) => a - b);
const result = {
  served: took.length,
  addresses: addresses.size,
  seconds,
  median: took[took.length >> 1] ?? Infinity,
  worst: took.at(-1) ?? Infinity,
};
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(result)}\n`));
Deno.exit(0);
