import { must } from "../lab/command.ts";
import type { Bed } from "../lab/bed.ts";

/** Starts upstream resolvers on the Internet of a lab, each with an address of its own. */
export async function startUpstreams({ lab }: Bed, ...args: readonly string[]) {
  for (const argument of args) {
    const address = argument.split("=")[0]!;
    await must("ip", ["-n", lab.space("wan"), "address", "add", `${address}/32`, "dev", "lo"]);
  }
  const upstream = lab.deno("wan", "dns/upstream.ts", args);
  await upstream.line(/^ready$/);
  return {
    upstream,
    /** How often a name was queried, also by transport. */
    queriesOf: (name: string, how = ""): number =>
      upstream.output.split("\n").filter((line) =>
        line.startsWith(`query ${how}`) && line.toLowerCase().endsWith(` ${name}`)
      ).length,
  };
}
