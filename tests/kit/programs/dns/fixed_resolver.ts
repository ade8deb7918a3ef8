/** Run inside the lab's router, with its own address: a resolver that answers every question with it. */
import { dnsTcp, dnsUdp } from "../internet.ts";

const [address = ""] = Deno.args;
const tcp = Deno.listen({ hostname: "0.0.0.0", port: 53 });
const udp = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 53 });
await Deno.stdout.write(new TextEncoder().encode("ready\n"));
await Promise.all([dnsTcp(tcp, address), dnsUdp(udp, address)]);
