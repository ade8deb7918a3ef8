import { lookup } from "node:dns/promises";

/** Addresses of a host name by the system's own resolver, in its order. Throws where there are none. */
export async function nameAddresses(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}
