import type { Config } from "../../system/config.ts";
import type { EngineOptions } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { NoticeBoard } from "../../system/core/events/notice.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { Control } from "../../system/core/process/control.ts";
import type { ProcessDescriptor } from "../../system/core/process/descriptor.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { pause } from "../../system/core/time/pause.ts";
import { install } from "../../system/install/process.ts";
import {
  installCommand,
  neededPackages,
  packageText,
  withInstalled,
} from "../../system/install/packages.ts";
import type { NeededPackage, PackageList } from "../../system/install/schema.ts";
import { hasNetwork } from "../../system/network/has_network.ts";
import { netd } from "../../system/network/process.ts";

/** Between two looks whether the installation has ended. */
const POLL_INTERVAL_MS = 300;
/** The network waits no longer for a mirror that does not answer. */
const MAX_INSTALL_MS = 15 * 60_000;
/** Between two looks whether what is missing was installed by hand. */
const RECHECK_INTERVAL_MS = 30_000;
const NOTICE = "packages-missing";

/** Options of {@link openPackages}. */
export interface PackagesOptions {
  readonly processes: readonly ProcessDescriptor[];
  readonly settings: Pick<Settings, "network" | "services" | "install">;
  readonly launcher: Pick<Control, "start" | "list">;
  /** True where a launcher of root runs us, which alone can install. */
  readonly launchedByRoot: () => Promise<boolean>;
  /** What `dpkg-query` says of these packages; null where there is none. */
  readonly query: (names: readonly string[]) => Promise<string | null>;
  readonly notices: () => NoticeBoard | undefined;
  /** Milliseconds between two looks while something is missing; default half a minute. */
  readonly recheckInterval?: number;
  readonly bus: Pick<Bus, "publish">;
  readonly log: Log;
}

/** The Debian packages that the network of this router needs. */
export interface Packages {
  list(): Promise<PackageList>;
  /** What the first application of the network would install, or lacks; null where there is none to come. */
  missing(): Promise<Pick<PackageList, "installs" | "items"> | null>;
  /** Tells the terminal what is missing before anything is applied. */
  notify(): Promise<void>;
  /**
   * Has what is missing installed before the network is applied. One that was `applied` before waits
   * only for what netd needs. Ends early with the signal.
   */
  bring(applied: boolean, signal: AbortSignal): Promise<void>;
}

/** Looks after the packages of the processes that these settings run. */
export function openPackages(options: PackagesOptions): Packages {
  const { settings, launcher, log, bus } = options;
  const needs = neededPackages(options.processes, settings);
  let installing = false;

  async function look(): Promise<readonly NeededPackage[]> {
    if (needs.length === 0) return [];
    return withInstalled(needs, await options.query(needs.map(({ name }) => name)));
  }

  async function installs(): Promise<boolean> {
    return needs.length > 0 && settings.install && await options.launchedByRoot();
  }

  /** Those that are known to be missing. */
  async function missing(): Promise<readonly NeededPackage[]> {
    return (await look()).filter(({ installed }) => installed === false);
  }

  async function run(signal: AbortSignal): Promise<void> {
    installing = true;
    bus.publish("packages", { installing });
    try {
      // The launcher itself started it where the network is applied in any case.
      if (settings.network !== "on") await launcher.start(install.name);
      const until = performance.now() + MAX_INSTALL_MS;
      while (!signal.aborted && performance.now() < until) {
        const process = (await launcher.list()).find(({ name }) => name === install.name);
        if (process?.state !== "running") break;
        await pause(POLL_INTERVAL_MS, signal);
      }
    } catch (error) {
      // Under systemd there is no launcher: the manual installs the packages.
      log.debug("packages.not_installed", "No launcher installs packages", { error });
    } finally {
      installing = false;
    }
    if (signal.aborted) return;
    bus.publish("packages", { installing });
    const lacking = await missing();
    await report(lacking);
    if (lacking.length > 0) follow(signal).catch(failed);
  }

  /** Settles the notice once somebody has installed what was missing. */
  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(options.recheckInterval ?? RECHECK_INTERVAL_MS, signal);
      if (signal.aborted || (await missing()).length > 0) continue;
      return await report([]);
    }
  }

  function failed(error: unknown): void {
    log.error("packages.check_failed", "The Debian packages could not be looked after", { error });
  }

  async function report(lacking: readonly NeededPackage[]): Promise<void> {
    if (lacking.length === 0) return await options.notices()?.settle(NOTICE);
    await options.notices()?.open(
      NOTICE,
      `Debian packages are missing: ${lacking.map(packageText).join("; ")}. Install them with ` +
        `"${installCommand(lacking.map(({ name }) => name))}", or leave out the processes that ` +
        "need them with SLUICE_SERVICES",
    );
  }

  return {
    async list() {
      return { items: [...await look()], installs: await installs(), installing };
    },
    async missing() {
      if (settings.network !== "auto") return null;
      const items = (await look()).filter(({ installed }) => installed !== true);
      return { installs: items.length > 0 && await installs(), items };
    },
    async notify() {
      const lacking = await missing();
      if (lacking.length === 0) return;
      const names = lacking.map(({ name }) => name);
      log.info(
        "packages.needed",
        await installs()
          ? "Once you choose a WAN and a LAN interface, Sluice installs these Debian packages " +
            "(SLUICE_INSTALL=no keeps it from doing so):"
          : "Before you choose a WAN and a LAN interface, install these Debian packages: " +
            installCommand(names),
        { packages: names },
      );
      for (const need of lacking) log.info("packages.need", packageText(need));
    },
    async bring(applied, signal) {
      const lacking = await missing();
      if (lacking.length === 0) return await report(lacking);
      const waits = !applied ||
        lacking.some(({ neededBy }) => neededBy.some(({ process }) => process === netd.name));
      const done = run(signal).catch(failed);
      if (waits) await done;
    },
  };
}

/** What is missing where a configuration brings a network and none is applied. */
export function firstApplyBy(
  packages: Pick<Packages, "missing"> = NO_PACKAGES,
): NonNullable<EngineOptions<Config>["firstApply"]> {
  return async (after, host) =>
    host.kind === "memory" && hasNetwork(after) ? await packages.missing() : null;
}

/** None are needed, as in demo mode. */
export const NO_PACKAGES: Packages = {
  list: () => Promise.resolve({ items: [], installs: false, installing: false }),
  missing: () => Promise.resolve(null),
  notify: () => Promise.resolve(),
  bring: () => Promise.resolve(),
};
