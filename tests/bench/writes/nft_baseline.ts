import type { Config } from "../../../system/config.ts";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import type { Ruleset } from "../../../system/core/kernel/ruleset.ts";
import { documents } from "../../../system/documents.ts";
import { diffRulesets } from "../../../system/core/kernel/nft/diff.ts";
import { renderLoad, renderOps } from "../../../system/core/kernel/nft/text.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { must } from "../../kit/lab/command.ts";
import { type ToolStarter, toolStarter } from "../tool_starts.ts";

const planner = networkPlanner();

/** A namespace with the rules of a home loaded, in which nft is started on request. */
export interface NftBaseline extends AsyncDisposable {
  /** Of the pipes to what starts it. */
  readonly folder: string;
  /** Scripts that are taken in turn. */
  readonly scripts: readonly [string, string];
}

const FACTS: Facts = {
  links: [],
  addresses: [],
  routes: [],
  neighbours: [],
  forwarding: false,
  tables: [],
  capabilities: {
    dummy: true,
    bridge: true,
    vlan: false,
    vxlan: false,
    wireguard: false,
    flowtable: false,
  },
};

/**
 * Loads what a home asks for into a namespace of its own, and what others have there; the delta is one
 * device's policy.
 */
export async function nftBaseline(
  { home, identity, others = "" }: {
    readonly home: string;
    readonly identity: string;
    readonly others?: string | undefined;
  },
): Promise<NftBaseline> {
  const name = `bench-nft-${Deno.pid}`;
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-nft-" });
  const { load, away, back } = await scripts(home, identity);
  await must("ip", ["netns", "add", name]);
  let starts: ToolStarter | null = null;
  const dispose = async (): Promise<void> => {
    await starts?.[Symbol.asyncDispose]();
    await must("ip", ["netns", "delete", name]);
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await must("ip", ["netns", "exec", name, "nft", "-f", "-"], load + others);
    await Deno.writeTextFile(`${folder}/away.nft`, away);
    await Deno.writeTextFile(`${folder}/back.nft`, back);
    starts = await toolStarter(name);
    return {
      folder: starts.folder,
      scripts: [`${folder}/away.nft`, `${folder}/back.nft`],
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The rules that a home asks for. */
export async function rulesetOf(home: string): Promise<Ruleset> {
  const observed = JSON.parse(await Deno.readTextFile(`${home}/state/devices/observed.json`));
  return planner.desire(await readConfig(home), observed, FACTS).ruleset;
}

async function scripts(
  home: string,
  identity: string,
): Promise<{ readonly load: string; readonly away: string; readonly back: string }> {
  const config = await readConfig(home);
  const observed = JSON.parse(await Deno.readTextFile(`${home}/state/devices/observed.json`));
  const device = config.devices[identity]!;
  const without = { ...device, Policies: device.Policies.filter((policy) => policy !== "wan") };
  const changed = { ...config, devices: { ...config.devices, [identity]: without } };
  const full = planner.desire(config, observed, FACTS).ruleset;
  const less = planner.desire(changed, observed, FACTS).ruleset;
  return {
    load: renderLoad(full),
    away: renderOps(diffRulesets(full, less)),
    back: renderOps(diffRulesets(less, full)),
  };
}

async function readConfig(home: string): Promise<Config> {
  const parts = await Promise.all(
    Object.entries(documents).map(async ([name, document]) => {
      try {
        const text = await Deno.readTextFile(`${home}/configs/${document.path}`);
        return [name, document.read(JSON.parse(text)).value] as const;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return [name, document.fallback] as const;
        throw error;
      }
    }),
  );
  return Object.fromEntries(parts) as unknown as Config;
}
