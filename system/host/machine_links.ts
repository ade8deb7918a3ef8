import { InterfaceName } from "../core/grammar.ts";

/** Where Linux lists its network interfaces, those without an address among them. */
export const LINKS_FOLDER = "/sys/class/net";

/**
 * Names of the machine's interfaces, without its loopback: what there is to choose from before
 * anything is applied. Empty where they cannot be read.
 */
export async function machineLinks(folder: string = LINKS_FOLDER): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name !== "lo" && InterfaceName.safeParse(name).success) names.push(name);
    }
  } catch {
    return [];
  }
  return names.sort();
}
