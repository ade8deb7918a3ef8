/**
 * Run inside a lab client that has an address: asks every server to extend its lease, as a client does
 * whose own server did not answer (RFC 2131 4.4.5); prints `ack <address>`, or what came instead.
 * Arguments: the link, its card, its address.
 */
import { bindSocket } from "../sockets/bound_socket.ts";
import { clientMessage, MESSAGE, serverAnswer } from "../dhcp/dhcp_client.ts";

const [link = "", mac = "", ciaddr = ""] = Deno.args;
const socket = bindSocket(link, 68);
const late = setTimeout(() => say("nothing"), 60_000);
socket.send(clientMessage({ type: MESSAGE.request, mac, ciaddr }), "255.255.255.255", 67);
const bytes = await socket.receive();
const answer = serverAnswer(bytes ?? new Uint8Array([0]));
clearTimeout(late);
say(answer.type === MESSAGE.ack ? `ack ${answer.yiaddr}` : `type ${answer.type}`);

function say(word: string): never {
  Deno.stdout.writeSync(new TextEncoder().encode(`${word}\n`));
  Deno.exit(0);
}
