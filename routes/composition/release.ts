import { join } from "node:path";
import type { Host } from "../../system/core/kernel/host.ts";
import { ReleaseFile } from "../../system/core/engine/files/release_file.ts";
import type { Document } from "../../system/core/config/document.ts";
import { removeFile, writeDurably } from "../../system/core/config/files.ts";
import { exists } from "../../system/core/config/folders.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { privateFolder } from "../../system/core/process/shared_home.ts";
import { appliedMark, bootRuleset, releasedMark } from "../../system/network/process.ts";
import { sockets } from "../../system/processes.ts";
import { documents } from "../../system/documents.ts";
import { isRestrictive } from "../../system/firewall/sets/transition.ts";
import { linuxHost } from "../../system/host/kernel/linux.ts";
import { netdClient } from "../../system/host/kernel/netd_client.ts";
import { describe } from "../../system/network/kernel/describe.ts";
import { release, type ReleaseScope } from "../../system/network/kernel/release.ts";
import { uplinkLinks } from "../../system/network/routing/uplink_paths.ts";

/**
 * Removes everything of Sluice from the kernel while no api runs, through netd or, without it, directly.
 * Returns the changes as nft and ip commands. Throws Problem.
 */
export async function releaseDirectly(home: string): Promise<readonly string[]> {
  const scope = await storedScope(home);
  await refuseLinks(home);
  await new ReleaseFile(home).write();
  const path = sockets(home).netd;
  const host: Host = await isListening(path)
    ? netdClient(path)
    : await linuxHost({ isRestrictive });
  try {
    const plan = release(scope, await host.facts());
    for (const step of plan.steps) await host.apply(step);
    await removeFile(appliedMark(home));
    for (const privateState of await netdFolders(home)) {
      await removeFile(bootRuleset({ home, privateState }));
      await writeDurably(releasedMark({ home, privateState }), "", "release");
    }
    return describe(plan);
  } finally {
    await host.close();
  }
}

/** Folders of netd's own: a unit's, the launcher's, and null for the one that it shares. */
async function netdFolders(home: string): Promise<readonly (string | null)[]> {
  const own = [`${home}-netd`, privateFolder(home, { name: "netd" })];
  const there = await Promise.all(own.map(exists));
  return [null, ...own.filter((_, at) => there[at])];
}

/** Root writes into folders of others here: none may lead elsewhere. Throws Problem. */
async function refuseLinks(home: string): Promise<void> {
  for (const name of ["state", "state/api", "state/net"]) {
    const path = join(home, name);
    const found = await Deno.lstat(path).catch(() => null);
    if (found?.isSymlink) throw new Problem(409, `${path} is a symbolic link: nothing was changed`);
  }
}

/** What to release by the configuration, as far as it can be read. */
async function storedScope(home: string): Promise<ReleaseScope> {
  const { TinyNets } = await stored(home, documents.dhcp) ?? documents.dhcp.fallback;
  const interfaces = await stored(home, documents.interfaces);
  const ppp = await stored(home, documents.ppp) ?? documents.ppp.fallback;
  return {
    networks: TinyNets,
    uplinks: interfaces === null ? null : uplinkLinks({ interfaces, ppp }),
  };
}

/** A document's file; null where it cannot be read, which must not block a release. */
async function stored<T>(home: string, { path, read }: Document<T>): Promise<T | null> {
  try {
    return read(JSON.parse(await Deno.readTextFile(join(home, "configs", path)))).value;
  } catch {
    return null;
  }
}

async function isListening(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch {
    return false;
  }
}
