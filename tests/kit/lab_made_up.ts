/**
 * Run inside a lab client: so many cards that do not exist ask for an address to the end, some at a
 * time and once each; prints how many got one.
 */
import { madeUpCards } from "./made_up_cards.ts";

const [link = "", count = ""] = Deno.args;
/** Cards that ask at the same time. */
const WIDTH = 16;

const lease = madeUpCards(link, { milliseconds: 800, tries: 1 });
let next = 0;
let got = 0;

async function cards(): Promise<void> {
  while (next < Number(count)) {
    const number = next++;
    const mac = `02:66:00:00:00:${number.toString(16).padStart(2, "0")}`;
    if (await lease(mac, 2 * number + 1) !== null) got++;
  }
}

await Promise.all(Array.from({ length: WIDTH }, cards));
Deno.stdout.writeSync(new TextEncoder().encode(`got ${got}\n`));
Deno.exit(0);
