import assert from "node:assert/strict";
import { SERVICES } from "../../../system/processes.ts";
import { chooseKernel } from "../../../routes/composition/kernel.ts";
import { hasNetwork } from "../../../system/network/has_network.ts";
import type { Config } from "../../../system/config.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import type { Engine } from "../../../system/core/engine/engine.ts";
import type { Host } from "../../../system/core/kernel/host.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { appliedMark } from "../../../system/network/process.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { configWith, device, KEY } from "../../kit/builders/device_config.ts";

const log = openLog({ process: "test", human: false, level: "error", write: () => {} });

/** Which kernels `auto` moves a configuration to, with what it does before it applies anything. */
async function chosen(config: Config, files: readonly string[] = []): Promise<string[]> {
  return (await attached(config, { files })).steps;
}

interface Attached {
  readonly hosts: Host[];
  /** Kinds of the hosts, and packages, in their order. */
  readonly steps: string[];
}

/** The kernels that a configuration is moved to. */
async function attached(
  config: Config,
  { files = [], network = "auto" }: {
    readonly files?: readonly string[];
    readonly network?: "auto" | "off";
  },
): Promise<Attached> {
  const home = await Deno.makeTempDir({ prefix: "sluice-choice-" });
  try {
    await Deno.mkdir(`${home}/state/net`, { recursive: true });
    for (const path of files) await Deno.writeTextFile(path.replace("HOME", home), "");
    const settings = parseSettings({ SLUICE_HOME: home, SLUICE_NETWORK: network }, {
      root: home,
      attached: false,
      services: SERVICES,
    });
    const found: Attached = { hosts: [], steps: [] };
    const packages = {
      bring: (applied: boolean) => {
        found.steps.push(applied ? "packages" : "first packages");
        return Promise.resolve();
      },
    };
    const adapters = {
      follow: () => Promise.resolve(void found.steps.push("adapters")),
      remember: () => Promise.resolve(),
    };
    const kernel = chooseKernel({
      ...{ settings, bus: new Bus(), log, packages },
      adapters: () => adapters,
    });
    await kernel.follow({
      config,
      attach: (host: Host) => {
        found.hosts.push(host);
        found.steps.push(host.kind);
        return Promise.resolve();
      },
    } as Engine<Config>);
    await kernel.close();
    return found;
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("auto stays on a model until there is something to route between", async () => {
  const hosts = await chosen(configWith({ interfaces: [] }));
  assert.ok(
    !hosts.includes("linux") && !hosts.includes("adapters") &&
      hosts.every((one) => !one.endsWith("packages")),
  );
});

Deno.test("auto has packages installed before it applies a network for the first time", async () => {
  assert.deepEqual(await chosen(configWith()), ["first packages", "adapters", "linux"]);
});

Deno.test("auto looks after rules that were applied before, even without a network", async () => {
  const config = configWith({ interfaces: [] });
  assert.deepEqual(await chosen(config, [appliedMark("HOME")]), ["packages", "adapters", "linux"]);
});

Deno.test("demo mode keeps its interfaces on offer while they are given roles", async () => {
  const offered = async (...names: readonly string[]) => {
    const interfaces = names.map((Name, at) => ({
      ...configWith().interfaces[at]!,
      Name,
      Type: at === 0 ? "Uplink" as const : "Downlink" as const,
    }));
    const { hosts } = await attached(configWith({ interfaces }), { network: "off" });
    const links = (await hosts.at(-1)?.facts())?.links ?? [];
    return links.map(({ name }) => name).filter((name) => name !== "lo").toSorted();
  };
  assert.deepEqual(await offered("wan0"), ["lan0", "lan1", "wan0"]);
  assert.deepEqual(await offered("eth0"), ["eth0", "lan0", "lan1", "wan0"]);
  assert.deepEqual(await offered("wan0", "lan0"), ["lan0", "lan1", "wan0"]);
  assert.deepEqual(await offered("eth0", "eth1"), ["eth0", "eth1"], "a network of its own");
});

Deno.test("an uplink makes a network with a downlink, an access point or a VPN peer", () => {
  const [uplink, downlink, accessPoint] = configWith().interfaces as [Link, Link, Link];
  const peers = { [KEY]: device(KEY) };
  const network = (interfaces: readonly Link[], devices: Config["devices"] = {}) =>
    hasNetwork(configWith({ interfaces, devices }));
  assert.equal(network([uplink]), false);
  assert.equal(network([uplink, downlink]), true);
  assert.equal(network([uplink, accessPoint]), true);
  assert.equal(network([uplink], peers), true);
  assert.equal(network([downlink, accessPoint], peers), false);
  assert.equal(network([{ ...uplink, Enabled: false }, downlink]), false);
});

type Link = Config["interfaces"][number];
