/**
 * Run inside a lab client: puts questions, half of them broken, to a DNS server over UDP, and prints
 * as JSON how many were answered and what was wrong. Arguments: address of the server, number of
 * questions, seed.
 */
import { fuzz } from "../../dns/fuzzer.ts";

if (import.meta.main) {
  const [hostname = "", count = "0", seed = "0"] = Deno.args;
  const server = { transport: "udp", hostname, port: 53 } as const;
  const report = await fuzz(server, { count: Number(count), seed: Number(seed) });
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(report)}\n`));
  Deno.exit(0);
}
