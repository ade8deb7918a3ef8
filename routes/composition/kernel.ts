import type { Config } from "../../system/config.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import { controlClient } from "../../system/core/process/control.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { exists } from "../../system/core/config/folders.ts";
import type { LinkFact } from "../../system/core/kernel/facts.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import type { Log } from "../../system/core/log/log.ts";
import { appliedMark, bootRuleset } from "../../system/network/process.ts";
import { sockets } from "../../system/processes.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { documents } from "../../system/documents.ts";
import type { KnownAdapters } from "../../system/network/interfaces/known_adapters.ts";
import { machineLinks } from "../../system/host/kernel/machine_links.ts";
import { isRestrictive } from "../../system/firewall/sets/transition.ts";
import { memoryHost } from "../../system/host/memory/host.ts";
import { netdClient } from "../../system/host/kernel/netd_client.ts";
import { hasNetwork } from "../../system/network/has_network.ts";
import type { Packages } from "./packages.ts";

/** Interfaces of demo mode. */
const DEMO_LINKS: readonly string[] = ["wan0", "lan0", "lan1"];

/** Between attempts to read the machine's interfaces: netd may wait for its tools. */
const READ_LINKS_RETRY_MS = 5000;

/** Chooses the kernel that the configuration is applied to, for as long as the api runs. */
export interface KernelChoice {
  /** The model to open the engine with: the API does not wait for netd. */
  readonly first: Host;
  /** False while it is a model: nothing is applied to this machine. */
  readonly isReal: boolean;
  /** Switches the engine to the real kernel, or updates the model's interfaces, as needed from now on. */
  follow(engine: Engine<Config>): Promise<void>;
  /** Cancels pending calls. */
  close(): Promise<void>;
}

/**
 * True while Sluice's rules may be in the kernel: they were applied and not released. They must be
 * maintained even when the configuration has no network any more.
 */
async function wasApplied(home: string): Promise<boolean> {
  // Earlier releases had no mark, and their ruleset for the next boot in its place.
  return await exists(appliedMark(home)) ||
    await exists(bootRuleset({ home, privateState: null }));
}

/**
 * The kernel for these settings, as soon as it is followed. `on`: netd. `off`: a model with the
 * configured interfaces, and with those of the demo until a network was made of others. `auto`: the model of the machine's interfaces until the configuration has a network, then
 * netd, which the launcher starts on request, until the rules are released.
 */
export function chooseKernel(
  options: {
    readonly settings: Settings;
    readonly bus: Bus;
    readonly log: Log;
    readonly packages: Pick<Packages, "bring">;
    /** Recognises the interfaces of a real kernel. */
    readonly adapters: () => Pick<KnownAdapters, "follow" | "remember">;
  },
): KernelChoice {
  const { settings, bus, log, packages, adapters } = options;
  const path = sockets(settings.home);
  const netd = (): Host =>
    netdClient(path.netd, {
      replace: async () => {
        log.error("kernel.netd_replaced", "Replaced netd, which did not answer in time");
        await controlClient(path.launcher).restart("netd");
      },
    });
  // Setup must not offer missing interfaces; `off` has demo interfaces.
  const first = memoryHost({
    isRestrictive,
    links: settings.network === "off" ? DEMO_LINKS : [],
  });
  let host: Host = first;
  let modelled = "";
  let machine: readonly LinkFact[] = [];
  let unsubscribe = (): void => {};
  let cancelRead = (): void => {};
  let turn: Promise<void> = Promise.resolve();
  const ending = new AbortController();

  async function adapt(engine: Engine<Config>): Promise<void> {
    if (host.kind === "linux") return await recognise("remember");
    const old = host;
    if (settings.network === "on") {
      await packages.bring(await wasApplied(settings.home), ending.signal);
      if (ending.signal.aborted) return;
      host = netd();
    } else if (
      settings.network === "auto" &&
      (hasNetwork(engine.config) || await wasApplied(settings.home))
    ) {
      // Ahead of anything that changes the machine's own way to a mirror.
      await packages.bring(await wasApplied(settings.home), ending.signal);
      if (ending.signal.aborted) return;
      await controlClient(path.launcher).start("netd").catch(async (error) => {
        // Under systemd it runs already.
        if (!await exists(path.netd)) {
          log.warn("kernel.netd_not_started", "Could not ask the launcher to start netd", {
            error,
          });
        }
      });
      host = netd();
    } else {
      const there = new Set(machine.map(({ name }) => name));
      const configured = engine.config.interfaces.map(({ Name }) => Name);
      const demo = settings.network === "off" &&
          (!hasNetwork(engine.config) || configured.some((name) => DEMO_LINKS.includes(name)))
        ? DEMO_LINKS
        : [];
      const modelOnly = [...new Set([...configured, ...demo])].filter((name) => !there.has(name));
      const links = [...modelOnly, ...machine];
      const names = [...modelOnly, ...there].sort().join();
      if (links.length === 0 || names === modelled) return;
      modelled = names;
      host = memoryHost({ isRestrictive, links });
    }
    if (host.kind === "linux") await recognise("follow");
    await engine.attach(host);
    await old.close();
  }

  /** Without it the network is applied by name, as it is. */
  async function recognise(how: "follow" | "remember"): Promise<void> {
    await adapters()[how](host).catch((error) =>
      log.error(
        "network.adapters_unknown",
        "Interfaces could not be identified by their MAC addresses",
        {
          error,
        },
      )
    );
  }

  /**
   * Reads the machine's interfaces from netd once, for setup to offer; nothing waits for that, and netd is
   * stopped afterwards.
   */
  function readLinks(next: () => void): void {
    const reader = netdClient(path.netd);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    cancelRead = () => {
      over = true;
      clearTimeout(timer);
      void reader.close();
    };
    const read = async (): Promise<void> => {
      try {
        await controlClient(path.launcher).start("netd").catch(() => {});
        machine = machineLinks(await reader.inspect({ kind: "addresses" }));
      } catch (error) {
        if (over || host.kind === "linux") return;
        log.debug("kernel.interfaces_unreadable", "The machine's interfaces are not known yet", {
          error,
        });
        timer = setTimeout(() => void read(), READ_LINKS_RETRY_MS);
        return;
      }
      next();
      turn = turn.then(async () => {
        if (host.kind === "linux" || over) return;
        await controlClient(path.launcher).stop("netd").catch(() => {});
      });
    };
    void read();
  }

  return {
    first,
    get isReal() {
      return host.kind === "linux";
    },
    async follow(engine) {
      const next = () =>
        turn = turn.then(() => adapt(engine)).catch((error) =>
          log.error("kernel.apply_failed", "The kernel could not be changed", { error })
        );
      unsubscribe = bus.subscribe(() => void next(), [
        documents.interfaces.topic,
        documents.devices.topic,
      ]);
      await next();
      if (settings.network === "auto" && host.kind !== "linux") readLinks(next);
    },
    async close() {
      ending.abort();
      unsubscribe();
      cancelRead();
      await host.close();
      await turn;
    },
  };
}
