import { join } from "node:path";
import { releaseTags, sortedTags } from "./rules.ts";

/** The running version and the available releases. */
export interface Releases {
  /** The version that runs, as a tag: `v0.1.0`. */
  readonly current: string;
  /**
   * The tag of a component, the same for all; null for an unknown name. Plugins are not among them.
   */
  versionOf(name: string): string | null;
  /** Tags that are known here, oldest first; the one that runs is always among them. */
  tags(): Promise<readonly string[]>;
}

/** Component names that existing clients query the version of. */
const PARTS: ReadonlySet<string> = new Set([
  ...["superd", "base", "api", "frontend", "super_base", "watchdog"],
  ...["dhcp", "dhcpd", "dhcp_client", "dns", "dnsd", "wifid", "wireguard", "netd", "mesh"],
  ...["multicast_udp_proxy", "multicastd", "packet_logs", "db", "plugin-lookup", "uplinkd"],
]);

/** The releases as far as the program's own folder `root` tells; `version` is `0.1.0`. */
export function openReleases(
  options: { readonly root: string; readonly version: string },
): Releases {
  const current = `v${options.version}`;
  return {
    current,
    versionOf: (name) => PARTS.has(name) ? current : null,
    async tags() {
      const git = join(options.root, ".git");
      const [packed, loose] = await Promise.all([
        Deno.readTextFile(join(git, "packed-refs")).catch(nothing("")),
        names(join(git, "refs/tags")).catch(nothing([])),
      ]);
      return sortedTags([...releaseTags(packed, loose), current]);
    },
  };
}

async function names(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) found.push(name);
  return found;
}

/** Installed without its history, as most are. */
function nothing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return instead;
    }
    throw error;
  };
}
