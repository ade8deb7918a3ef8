import { join } from "node:path";
import type { Host } from "../../system/core/kernel.ts";
import { ReleaseFile } from "../../system/core/engine/release_file.ts";
import { removeFile } from "../../system/core/files.ts";
import { bootRuleset, sockets } from "../../system/core/processes.ts";
import { documents } from "../../system/documents.ts";
import { linuxHost } from "../../system/host/linux.ts";
import { netdClient } from "../../system/host/netd_client.ts";
import { describe } from "../../system/network/describe.ts";
import { release } from "../../system/network/release.ts";

/**
 * Takes everything of Sluice out of the kernel while no api runs, through netd or, where that does not
 * run either, with our own hand. Answers what was done, in nft and ip words. Throws Problem.
 */
export async function releaseDirectly(home: string): Promise<readonly string[]> {
  const networks = await homeNetworks(home);
  await new ReleaseFile(home).write();
  const path = sockets(home).netd;
  const host: Host = await answers(path) ? netdClient(path) : await linuxHost();
  try {
    const plan = release(networks, await host.facts());
    for (const step of plan.steps) await host.apply(step);
    await removeFile(bootRuleset(home));
    return describe(plan);
  } finally {
    await host.close();
  }
}

/** The home networks of the configuration, as far as it can be read. */
async function homeNetworks(home: string): Promise<readonly string[]> {
  const { path, read, fallback } = documents.dhcp;
  try {
    const text = await Deno.readTextFile(join(home, "configs", path));
    return read(JSON.parse(text)).value.TinyNets;
  } catch {
    // Whatever is wrong with the file must not keep anyone from getting out.
    return fallback.TinyNets;
  }
}

async function answers(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch {
    return false;
  }
}
