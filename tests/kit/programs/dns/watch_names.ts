/**
 * Run inside a lab client: asks a DNS server every ten milliseconds for names in turn, each with a
 * socket of its own, until SIGTERM. Then it prints what became of each name, and the longest time, in
 * milliseconds, for which none was answered: `{"worst":12.5,"names":{"ads.test":{"NXDOMAIN":40}}}`. Time
for which this program had no turn itself is left out.
 * Arguments: the server, the names.
 */
import { nameBytes } from "../../../../system/dns/codec/name.ts";

const [hostname = "", ...names] = Deno.args;
const EVERY = 10, PATIENCE = 5000;

type CodeCounts = Record<string, number>;
const counts: Record<string, CodeCounts> = Object.fromEntries(names.map((name) => [name, {}]));
const CODES: Readonly<Record<number, string>> = { 0: "NOERROR", 2: "SERVFAIL", 3: "NXDOMAIN" };
let last = performance.now(), worst = 0;
/** When this program had its turn last, and how much longer than asked it waited for one since then. */
let turn = last, late = 0;

function question(name: string, id: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array([
    ...[id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ...nameBytes(name)!,
    ...[0, 1, 0, 1],
  ]);
}

async function ask(name: string, id: number): Promise<void> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
  const silence = Promise.withResolvers<null>();
  const timer = setTimeout(() => silence.resolve(null), PATIENCE);
  const answer = (async () => {
    await socket.send(question(name, id), { transport: "udp", hostname, port: 53 });
    return (await socket.receive())[0];
  })().catch(() => null);
  const bytes = await Promise.race([answer, silence.promise]);
  clearTimeout(timer);
  socket.close();
  await answer;
  const code = bytes === null ? "lost" : CODES[bytes[3]! & 15] ?? "other";
  const of = counts[name]!;
  of[code] = (of[code] ?? 0) + 1;
  if (bytes === null) return;
  answered();
}

/** Something was answered, or it ends. */
function answered(): void {
  const now = performance.now();
  worst = Math.max(worst, now - last - late - Math.max(0, now - turn - 2 * EVERY));
  last = now;
  late = 0;
}

const say = (text: string): unknown => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
let ended = false;
Deno.addSignalListener("SIGTERM", () => ended = true);
const running = new Set<Promise<void>>();
for (let nth = 0; !ended; nth++) {
  const one: Promise<void> = ask(names[nth % names.length]!, nth & 0xffff)
    .finally(() => running.delete(one));
  running.add(one);
  if (nth === 20) {
    worst = 0;
    say("ready");
  }
  await new Promise((resolve) => setTimeout(resolve, EVERY));
  const now = performance.now();
  late += Math.max(0, now - turn - 2 * EVERY);
  turn = now;
}
answered();
await Promise.all(running);
say(JSON.stringify({ worst, names: counts }));
Deno.exit(0);
