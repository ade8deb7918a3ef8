/**
 * Run inside the lab's `wan` namespace: resolvers of the Internet that do as the first label of a name
 * says, over UDP, TCP and, with a certificate, TLS. Each query is printed: `query udp 9.9.9.9 1 name`.
 * Arguments: addresses, each alone for plain questions or as `address=cert,key` for TLS.
 */
import {
  readMessage,
  wireA,
  wireAlias,
  type WireMessage,
  wireMessage,
  wireOpt,
  wireSoa,
} from "../../dns/wire.ts";

/** What every name leads to. */
const ADDRESS = "198.51.100.80";
const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};
const counts = new Map<string, number>();
/** Between SIGUSR1 and SIGUSR2 nothing is answered. */
let mute = false;

/** What is answered to a question over a transport; null for nothing, bytes for what is none. */
function answer(
  question: Uint8Array,
  transport: "udp" | "tcp" | "tls",
  server: string,
): readonly Uint8Array[] {
  const query = readMessage(question);
  const [{ name, type } = { name: "", type: 0 }] = query.questions;
  say(`query ${transport} ${server} ${type} ${name}`);
  if (mute) return [];
  const lower = name.toLowerCase();
  const count = (counts.get(lower) ?? 0) + 1;
  counts.set(lower, count);
  const [word = ""] = lower.split(".");
  const reply = (more: WireMessage): Uint8Array =>
    wireMessage({
      id: query.id,
      flags: 0x8180,
      questions: query.questions,
      additional: query.additional.length > 0 ? [wireOpt()] : [],
      ...more,
    });
  const ttl = Number(/^ttl(\d+)/.exec(word)?.[1] ?? 300);
  const plain = type === 1 ? [wireA(name, ADDRESS, ttl)] : [];
  const none = { authority: [wireSoa("test", 60, 60)] };
  const good = reply(type === 1 ? { answers: plain } : none);
  const forged = (more: WireMessage): Uint8Array =>
    reply({ answers: [wireA(name, "192.0.2.66", 300)], ...more });
  switch (word) {
    case "no":
      return [reply({ flags: 0x8183, ...none })];
    case "fail":
      return [reply({ flags: 0x8182 })];
    case "home":
      return [reply({ answers: type === 1 ? [wireA(name, "192.168.2.1")] : [] })];
    case "alias":
      return [reply({ answers: [wireAlias(name, "far.test"), wireA("far.test", ADDRESS)] })];
    case "server":
      return [reply({ answers: [wireA(name, server, 5)] })];
    case "count":
      return [reply({ answers: [wireA(name, `192.0.2.${count % 256}`, 2)] })];
    case "large": {
      if (transport === "udp") return [reply({ flags: 0x8380 })];
      const many = Array.from({ length: 250 }, (_, i) => wireA(name, `192.0.2.${i}`));
      return [reply({ answers: many })];
    }
    case "forged":
      // Another id, another question and another case come before the truth.
      return transport === "udp"
        ? [
          forged({ id: query.id ^ 1 }),
          forged({ questions: [{ name: "other.test", type }] }),
          forged({ flags: 0x0180 }),
          good,
        ]
        : [good];
    case "othercase":
      return transport === "udp"
        ? [forged({ questions: [{ name: lower === name ? name.toUpperCase() : lower, type }] })]
        : [good];
    case "broken":
      return count % 2 === 1 ? [good.subarray(0, good.length - 3)] : [good];
    case "lost":
      return count % 3 === 0 ? [good] : [];
    default:
      return [good];
  }
}

function delayOf(question: Uint8Array): number {
  const name = String.fromCharCode(...question.subarray(13, 13 + question[12]!)).toLowerCase();
  return Number(/^slow(\d+)/.exec(name)?.[1] ?? 0);
}

async function udp(hostname: string): Promise<void> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname, port: 53 });
  for await (const [question, from] of socket) {
    const wait = delayOf(question);
    for (const bytes of answer(question, "udp", hostname)) {
      const copy = Uint8Array.from(bytes);
      if (wait > 0) setTimeout(() => socket.send(copy, from).catch(() => {}), wait);
      else await socket.send(copy, from).catch(() => {});
    }
  }
}

async function stream(listener: Deno.Listener, kind: "tcp" | "tls", server: string): Promise<void> {
  for (;;) {
    try {
      const connection = await listener.accept();
      serve(connection, kind, server).catch(() => {});
    } catch {
      // A client that did not trust us.
    }
  }
}

async function serve(connection: Deno.Conn, kind: "tcp" | "tls", server: string): Promise<void> {
  say(`opened ${kind} ${server}`);
  let waiting = new Uint8Array(0);
  const buffer = new Uint8Array(65_536);
  for (;;) {
    const size = await connection.read(buffer);
    if (size === null) break;
    waiting = Uint8Array.from([...waiting, ...buffer.subarray(0, size)]);
    while (waiting.length >= 2) {
      const length = waiting[0]! << 8 | waiting[1]!;
      if (waiting.length < length + 2) break;
      const question = waiting.slice(2, length + 2);
      waiting = waiting.slice(length + 2);
      const name = String.fromCharCode(...question.subarray(13, 13 + question[12]!)).toLowerCase();
      // The server ends the connection instead of answering the first time.
      if (name === "hangup" && !counts.has("hangup")) {
        counts.set("hangup", 1);
        say("hung up");
        return connection.close();
      }
      const reply = (): void => {
        for (const bytes of answer(question, kind, server)) {
          const framed = Uint8Array.from([bytes.length >> 8, bytes.length & 255, ...bytes]);
          connection.write(framed).catch(() => {});
        }
      };
      const wait = delayOf(question);
      if (wait > 0) setTimeout(reply, wait);
      else reply();
    }
  }
  say(`closed ${kind} ${server}`);
}

if (import.meta.main) {
  for (const argument of Deno.args) {
    const [hostname = "", files] = argument.split("=");
    if (files === undefined) {
      void udp(hostname);
      void stream(Deno.listen({ hostname, port: 53 }), "tcp", hostname);
    } else {
      const [cert = "", key = ""] = files.split(",").map((path) => Deno.readTextFileSync(path));
      void stream(Deno.listenTls({ hostname, port: 853, cert, key }), "tls", hostname);
    }
  }
  Deno.addSignalListener("SIGUSR1", () => {
    mute = true;
    say("silent");
  });
  Deno.addSignalListener("SIGUSR2", () => {
    mute = false;
    say("speaking");
  });
  say("ready");
}
