/**
 * Run inside a lab client: cards that were never there get an address each, one every so often. Prints
 * the milliseconds of each as JSON, null for one without an address. Arguments: the link, seconds in
 * all, milliseconds between two.
 */
import { simulateClients } from "../../kit/dhcp/simulated_clients.ts";
import { print } from "../print.ts";

const [link = "", seconds = "", between = ""] = Deno.args;
const lease = simulateClients(link, { milliseconds: 2000, tries: 3 });
const end = performance.now() + Number(seconds) * 1000;
const took: (number | null)[] = [];
for (let number = 1; performance.now() < end; number++) {
  const card = [number >> 8, number & 255].map((byte) => byte.toString(16).padStart(2, "0"));
  const began = performance.now();
  const address = await lease(`02:ad:00:00:${card.join(":")}`, number * 2);
  took.push(address === null ? null : performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, Number(between)));
}
print(JSON.stringify(took));
Deno.exit(0);
