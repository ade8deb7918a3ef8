/**
 * Run inside a lab client: so many cards that do not exist ask for an address to the end, all at once
 * and again while nobody answers; prints how many got one.
 */
import { madeUpCards } from "./made_up_cards.ts";

const [link = "", count = ""] = Deno.args;
const lease = madeUpCards(link, { milliseconds: 1500, tries: 4 });
const leased = await Promise.all(Array.from({ length: Number(count) }, (_, number) => {
  const mac = `02:66:00:00:00:${number.toString(16).padStart(2, "0")}`;
  return lease(mac, 2 * number + 1);
}));
const got = leased.filter((address) => address !== null).length;
Deno.stdout.writeSync(new TextEncoder().encode(`got ${got}\n`));
Deno.exit(0);
