import type { RandomBytes } from "../../system/access/digest.ts";
import { withHashedPasswords } from "../../system/access/first_start.ts";
import { Backups } from "../../system/backup/store.ts";
import type { Config } from "../../system/config.ts";
import type { Programs } from "../../system/core/process/programs.ts";
import { spaceOf } from "../../system/machine/disk_room.ts";
import { openReleases } from "../../system/machine/releases.ts";
import { documents } from "../../system/documents.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import { logFile } from "../../system/core/log/log_files.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { linuxMachine } from "../../system/host/kernel/machine.ts";
import { memoryMachine } from "../../system/host/memory/machine.ts";
import { ClockSetting, type ClockSettingOptions } from "../../system/machine/clock_setting.ts";
import { ownSource } from "../../system/machine/logs/own_source.ts";
import type {
  ServerCertificate,
  ServerCertificateOptions,
} from "../../system/certificates/server_certificate.ts";
import type { LogSource } from "../../system/machine/logs/read.ts";
import { tolerantSource } from "../../system/machine/logs/tolerant_source.ts";
import type { MachineDeps } from "../machine.ts";
import { NO_PACKAGES, type Packages } from "./packages.ts";

/** Options of the system routes. */
export interface MachineOptions {
  /** Folder of the program. */
  readonly root: string;
  readonly features: readonly string[];
  readonly programs: Programs;
  /** The Debian packages that the network needs. */
  readonly packages: Pick<Packages, "list" | "missing">;
  /** The machine where its network is applied. */
  readonly machine: Machine;
  /** The machine's journal; null where it keeps none. */
  readonly journal: () => Promise<LogSource | null>;
  /** Serves TLS with a certificate and its key; null: stops. */
  readonly serveTls: ServerCertificateOptions["serve"];
}

/** Assembles the dependencies of the system routes. */
export function openMachineDeps(
  options: Partial<MachineOptions> & {
    readonly home: string;
    readonly version: string;
    readonly host: () => Host;
    readonly certificates: ServerCertificate;
    readonly config: () => Config;
    readonly random: RandomBytes;
    readonly now: () => number;
    /** What the setting of the clock stands on. */
    readonly time: Omit<ClockSettingOptions, "machine" | "after">;
  },
): MachineDeps & { readonly clock: ClockSetting } {
  const { home, version, host, now } = options;
  const real = options.machine ?? linuxMachine({ home: options.home });
  const model = memoryMachine(() => host().facts());
  const own = ownSource(logFile(home));
  const find = async (): Promise<LogSource | null> => await options.journal?.() ?? null;
  const journal = tolerantSource(find, { name: "The machine's journal", now });
  const machine = () => host().kind === "memory" ? model : real;
  return {
    certificates: options.certificates,
    backups: new Backups({
      home,
      version,
      now,
      documents,
      config: options.config,
      // A backup is worth more than the list of interfaces in it.
      links: () => host().facts().then(({ links }) => links, () => []),
    }),
    secured: (users) => withHashedPasswords(users, options.random),
    releases: openReleases({ root: options.root ?? home, version }),
    features: options.features ?? ["dns"],
    programs: options.programs ?? alone(now()),
    packages: options.packages ?? NO_PACKAGES,
    machine,
    clock: new ClockSetting({ ...options.time, machine, after }),
    load: () => ({ seconds: Deno.osUptime(), load: Deno.loadavg() }),
    resources: async () => {
      const { total, available } = Deno.systemMemoryInfo();
      const { size, free } = await spaceOf(home);
      return {
        Cores: navigator.hardwareConcurrency,
        MemoryTotal: total,
        MemoryFree: available,
        DiskTotal: size,
        DiskFree: free,
      };
    },
    machineName: () => Deno.hostname(),
    sources: () => Promise.resolve([journal, own]),
  };
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

/** This process alone: nothing can restart it. */
function alone(since: number): Programs {
  return {
    list: () => Promise.resolve([{ name: "api", state: "running", pid: Deno.pid, since }]),
    restart: () => Promise.resolve(),
  };
}
