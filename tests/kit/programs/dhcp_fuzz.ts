/**
 * Run inside a lab client: sends what no DHCP client should, from an interface; the same for the same
 * seed. Arguments: the link, how many datagrams, the seed.
 */
import { clientFrames, namedIn } from "../sockets/client_frames.ts";
import { clientMessage, MESSAGE } from "../dhcp/dhcp_client.ts";

const [link = "", count = "", seed = ""] = Deno.args;
let state = Number(seed) >>> 0;

/** Mulberry32: a number below `most`. */
function random(most: number): number {
  state = state + 0x6d2b79f5 >>> 0;
  let t = Math.imul(state ^ state >>> 15, state | 1);
  t ^= t + Math.imul(t ^ t >>> 7, t | 61);
  return ((t ^ t >>> 14) >>> 0) % most;
}

const noise = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, () => random(256));
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const mac = (): string =>
  ["06", ...noise(5)].map((part) =>
    typeof part === "string" ? part : part.toString(16).padStart(2, "0")
  ).join(":");
const hello = (options: readonly (readonly [number, Uint8Array])[] = []) =>
  clientMessage({ type: MESSAGE.discover, mac: mac(), options });
const changed = (at: number, ...values: readonly number[]): Uint8Array<ArrayBuffer> => {
  const bytes = hello();
  bytes.set(values, at);
  return bytes;
};

const kinds: readonly (() => Uint8Array<ArrayBuffer>)[] = [
  () => noise(random(1400)),
  () => {
    const bytes = hello([[12, noise(40)], [55, noise(40)]]);
    for (let left = 8; left > 0; left--) bytes[random(bytes.length)] = random(256);
    return bytes;
  },
  () => hello().subarray(0, random(260)),
  // RFC 2132 9.3: options in the fields for names, which then overload once more, or never end.
  () => {
    const bytes = hello([[52, Uint8Array.of(3)]]);
    bytes.set([52, 1, 3, 12, 250], 44);
    bytes.set([53, 1, 3, 52, 1, 3, 61, 255], 108);
    return bytes;
  },
  () => {
    const bytes = hello([[52, Uint8Array.of(3)]]);
    bytes.set(noise(192), 44);
    return bytes;
  },
  () => changed(2, 255),
  () => changed(2, 0),
  () => changed(24, 10, 0, 0, 1),
  () => changed(28, 255, 255, 255, 255, 255, 255),
  // RFC 3396: one long name in parts.
  () => hello(Array.from({ length: 5 }, () => [12, new Uint8Array(250).fill(0x41)] as const)),
  () =>
    hello([[12, text("a\r\nb`$(x)`")], [81, Uint8Array.of(4, 0, 0, 200, 1, 2)], [61, noise(1)]]),
  () => hello([[50, noise(3)], [54, noise(7)], [55, new Uint8Array()]]),
];

const send = clientFrames(link);
for (let left = Number(count); left > 0; left--) {
  const message = kinds[left % kinds.length]!();
  // Too short for a MAC address, or of noise: from any.
  send(message, message.length >= 34 ? namedIn(message) : mac());
  if (left % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
Deno.stdout.writeSync(text("done\n"));
Deno.exit(0);
