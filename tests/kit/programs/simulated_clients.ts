/**
 * Run inside a lab client: so many cards that do not exist ask for an address to the end, all at once;
 * those that are refused, as when another took what they were offered, ask anew for as long as that
 * helps anybody. Prints how many got one.
 */
import { simulateClients } from "../dhcp/simulated_clients.ts";

const [link = "", count = ""] = Deno.args;
const lease = simulateClients(link, { milliseconds: 1000, tries: 4 });
let without = Array.from({ length: Number(count) }, (_, number) => number), xid = 1;
for (let before = Infinity; without.length < before;) {
  before = without.length;
  const offers = await Promise.all(without.map((number) => {
    const mac = `02:66:00:00:00:${number.toString(16).padStart(2, "0")}`;
    return lease(mac, xid += 2);
  }));
  without = without.filter((_, at) => offers[at] === null);
}
const got = Number(count) - without.length;
Deno.stdout.writeSync(new TextEncoder().encode(`got ${got}\n`));
Deno.exit(0);
