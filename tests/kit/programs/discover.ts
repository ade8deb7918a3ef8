/**
 * Run inside a lab client: asks for an address in the name of many cards that do not exist, two each
 * millisecond at most, from an interface.
 */
import { clientFrames } from "../sockets/client_frames.ts";
import { clientMessage, MESSAGE } from "../dhcp/dhcp_client.ts";

const [link = "", count = ""] = Deno.args;

const say = (word: string): number => Deno.stdout.writeSync(new TextEncoder().encode(`${word}\n`));
const card = (number: number): string =>
  ["02", "77", "00", "00", number >> 8, number & 255]
    .map((part) => typeof part === "string" ? part : part.toString(16).padStart(2, "0")).join(":");

const send = clientFrames(link);
say("ready");
for (let number = 0; number < Number(count); number++) {
  const mac = card(number);
  send(clientMessage({ type: MESSAGE.discover, mac, broadcast: true }), mac);
  if (number % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
say("done");
Deno.exit(0);
