import { parseMessage } from "../../../system/multicast/mdns.ts";

/**
 * Run inside a machine of the lab, with a group, a port and what to do: `hear` tells of each datagram
 * as `<source> <text>`, `printer` answers questions for `_ipp._tcp.local` to all, and `say` sends a
 * text so many times, so many milliseconds apart; `%` in it is the number of the datagram.
 */
const [group = "", port = "", what = "", text = "", times = "1", apart = "0"] = Deno.args;
const socket = Deno.listenDatagram({
  transport: "udp",
  hostname: "0.0.0.0",
  port: what === "say" && port !== "5353" ? 0 : Number(port),
  reuseAddress: true,
});
const to: Deno.NetAddr = { transport: "udp", hostname: group, port: Number(port) };
const print = (line: string): Promise<number> =>
  Deno.stdout.write(new TextEncoder().encode(`${line}\n`));

function labels(name: string): number[] {
  return [
    ...name.split(".").flatMap((label) => [label.length, ...new TextEncoder().encode(label)]),
    0,
  ];
}

/** A PTR of the service type to the printer (RFC 6763 4.1). */
function offer(): Uint8Array {
  const target = labels("office printer._ipp._tcp.local");
  const header = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0];
  const record = [...labels("_ipp._tcp.local"), 0, 12, 0, 1, 0, 0, 0, 120, 0, target.length];
  return Uint8Array.from([...header, ...record, ...target]);
}

function question(name: string): Uint8Array {
  return Uint8Array.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels(name), 0, 1, 0, 1]);
}

/** The service as a question of mDNS, where the text names one; else the text itself. */
function payload(of: string): Uint8Array<ArrayBuffer> {
  const bytes = of.endsWith(".local") ? question(of) : new TextEncoder().encode(of);
  if (of.startsWith("_")) bytes[bytes.length - 3] = 12; // PTR
  return Uint8Array.from(bytes);
}

if (what === "say") {
  for (let i = 0; i < Number(times); i++) {
    await socket.send(payload(text.replaceAll("%", String(i))), to);
    await new Promise((resolve) => setTimeout(resolve, Number(apart)));
  }
  socket.close();
} else {
  await socket.joinMulticastV4(group, "0.0.0.0");
  await print("ready");
  for await (const [bytes, from] of socket) {
    const message = parseMessage(bytes);
    if (what === "printer") {
      const isForPrinter = message?.questions.some(({ name }) => name === "_ipp._tcp.local");
      if (isForPrinter && !message?.isResponse) await socket.send(offer(), to);
      continue;
    }
    const shown = message === null || Number(port) !== 5353 ? new TextDecoder().decode(bytes) : [
      ...message.questions.map(({ name }) => `asks ${name}`),
      ...message.records.map(({ name, target, address }) => `${name} is ${target ?? address}`),
    ].join(", ");
    await print(`${(from as Deno.NetAddr).hostname} ${shown.replaceAll(/\s+/g, " ")}`);
  }
}
