import { parseAddress } from "../../core/net/net.ts";
import { run } from "./run.ts";

/** Seconds after which a name counts as not found. */
const LOOKUP_SECONDS = 15;

/** Addresses of a host name by the system's own resolver (getent(1)), IPv4 first; none on any failure. */
export async function lookUpName(name: string): Promise<readonly string[]> {
  for (const table of ["ahostsv4", "ahostsv6"]) {
    const result = await run("getent", { args: [table, name], seconds: LOOKUP_SECONDS })
      .catch(() => null);
    const found = (result?.stdout ?? "").split("\n").map((line) => line.split(/\s+/)[0] ?? "")
      .filter((address) => parseAddress(address) !== null);
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}
