/**
 * Run inside a lab client: so many cards that do not exist ask for an address to the end, some at a
 * time and once each; prints how many got one.
 */
import { bindSocket } from "./bound_socket.ts";
import { clientMessage, MESSAGE, serverAnswer } from "./dhcp_client.ts";

const [link = "", count = ""] = Deno.args;
/** Cards that ask at the same time, and milliseconds for which each waits for an answer. */
const WIDTH = 16, PATIENCE = 800;

const say = (word: string): number => Deno.stdout.writeSync(new TextEncoder().encode(`${word}\n`));
const socket = bindSocket(link, 68);
const waiting = new Map<number, (bytes: Uint8Array) => void>();

async function listen(): Promise<void> {
  for (let bytes = await socket.receive(); bytes !== null; bytes = await socket.receive()) {
    waiting.get(new DataView(bytes.buffer, bytes.byteOffset).getUint32(4))?.(bytes);
  }
}

async function ask(message: Uint8Array<ArrayBuffer>, xid: number) {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
  const timer = setTimeout(() => resolve(null), PATIENCE);
  waiting.set(xid, resolve);
  socket.send(message, "255.255.255.255", 67);
  const answer = await promise;
  clearTimeout(timer);
  waiting.delete(xid);
  return answer === null ? null : serverAnswer(answer);
}

let next = 0;
let got = 0;

async function cards(): Promise<void> {
  while (next < Number(count)) {
    const number = next++;
    const mac = `02:66:00:00:00:${number.toString(16).padStart(2, "0")}`;
    const [first, second] = [2 * number + 1, 2 * number + 2];
    const common = { mac, broadcast: true };
    const offer = await ask(
      clientMessage({ ...common, type: MESSAGE.discover, xid: first }),
      first,
    );
    if (offer === null) continue;
    const id = offer.options[54] ?? "";
    const server = [0, 2, 4, 6].map((at) => parseInt(id.slice(at, at + 2), 16)).join(".");
    const ack = await ask(
      clientMessage({
        ...common,
        ...{ type: MESSAGE.request, xid: second, requested: offer.yiaddr, server },
      }),
      second,
    );
    if (ack?.type === MESSAGE.ack) got++;
  }
}

void listen();
await Promise.all(Array.from({ length: WIDTH }, cards));
say(`got ${got}`);
Deno.exit(0);
