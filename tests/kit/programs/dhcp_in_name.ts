/**
 * Run inside a lab client: speaks DHCP in the name of another device, first in frames of its own, then in
 * frames of that device. Arguments: the link, the other's MAC address, its address.
 */
import { interfaceFacts } from "../../../system/host/sockets/interface_facts.ts";
import { clientMessage, MESSAGE } from "../dhcp/dhcp_client.ts";
import { clientFrames } from "../sockets/client_frames.ts";

const [link = "", mac = "", address = ""] = Deno.args;
const send = clientFrames(link);
const { decline, release, request, discover } = MESSAGE;
const messages = [
  clientMessage({ type: decline, mac, requested: address }),
  clientMessage({ type: release, mac, ciaddr: address }),
  clientMessage({ type: discover, mac, broadcast: true }),
  clientMessage({ type: request, mac, requested: address, broadcast: true }),
  clientMessage({ type: request, mac, ciaddr: address, broadcast: true }),
];
for (const from of [interfaceFacts(link)!.mac, mac]) {
  for (const message of messages) send(message, from);
}
// Longer than a probe of the other's interface takes.
await new Promise((resolve) => setTimeout(resolve, 1500));
Deno.stdout.writeSync(new TextEncoder().encode("done\n"));
Deno.exit(0);
