/**
 * Run inside a lab client: so many made-up cards get an address each, some at a time; prints what it
 * took as JSON. Arguments: the link, how many cards, how many at once, the first card's number.
 */
import { simulateClients } from "../kit/dhcp/simulated_clients.ts";

const [link = "", count = "", width = "", first = ""] = Deno.args;

const lease = simulateClients(link, { milliseconds: 1000, tries: 10 });
const took: number[] = [];
const addresses = new Set<string>();
let next = 0;

async function client(): Promise<void> {
  while (next < Number(count)) {
    const number = Number(first) + next++;
    const part = (shift: number) => (number >> shift & 255).toString(16).padStart(2, "0");
    const started = performance.now();
    const address = await lease(`02:be:00:${part(16)}:${part(8)}:${part(0)}`, number * 2);
    if (address === null) continue;
    took.push(performance.now() - started);
    addresses.add(address);
  }
}

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
