/**
 * Run inside a namespace of the lab: one end of a tunnel by Sluice's own tools. Arguments: name of the
 * interface, file of its configuration. Prints who carries it and each new handshake; SIGUSR1 takes its
 * peers off, SIGTERM deletes it.
 */
import { addWg, readWg, removeWgPeers } from "../../../system/host/tools/wg.ts";
import {
  createWireguardLink,
  deleteWireguardLink,
  wireguardBackend,
} from "../../../system/host/tools/wireguard_links.ts";

/** Milliseconds between two looks. */
const LOOK_INTERVAL_MS = 200;

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const [name = "", file = ""] = Deno.args;
const backend = await createWireguardLink(name);
if (await wireguardBackend(name) !== backend) throw new Error("It is another one than created");
await addWg(name, await Deno.readTextFile(file));
say(`carried by ${backend}`);

let last = 0;
const timer = setInterval(async () => {
  const [peer] = (await readWg(name))?.peers ?? [];
  if (peer === undefined || peer.latestHandshake === last) return;
  last = peer.latestHandshake;
  say(`handshake with ${peer.endpoint}`);
}, LOOK_INTERVAL_MS);

Deno.addSignalListener("SIGUSR1", async () => {
  const { peers } = (await readWg(name))!;
  await removeWgPeers(name, peers.map(({ publicKey }) => publicKey));
  say(`peers ${(await readWg(name))!.peers.length}`);
});
Deno.addSignalListener("SIGTERM", async () => {
  clearInterval(timer);
  await deleteWireguardLink(name);
  say(`left ${await wireguardBackend(name)}`);
  Deno.exit();
});
