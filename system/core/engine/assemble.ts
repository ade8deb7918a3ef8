import type { Database } from "../store/open.ts";
import type { NoticeBoard } from "../events/notice.ts";
import type { Log } from "../log/log.ts";
import type { Host } from "../kernel/host.ts";
import type { Documents } from "../config/document.ts";
import type { Effects, Follow, Observations, Planner } from "./change.ts";
import type { Guard } from "./decide.ts";
import type { Bus } from "../events/bus.ts";
import { dirname, join } from "node:path";
import { ConfigFiles } from "./files/config_files.ts";
import { ConfirmWindow } from "./confirm_window.ts";
import { Enforcement } from "./kernel/enforcement.ts";
import { RunningFlows } from "./kernel/running_flows.ts";
import { SharedWork } from "../time/slices.ts";
import { type Files, files } from "../config/files.ts";
import { isFileError } from "../errors/disk_error.ts";
import { ActiveConfig } from "./active_config.ts";
import { Journal } from "./journal/journal.ts";
import { ObservationFile } from "./files/observations.ts";
import type { Parts } from "./parts.ts";
import { ReleaseFile } from "./files/release_file.ts";
import { start, type Started } from "./start.ts";

/** What {@link import("./engine.ts").openEngine} needs. */
export interface EngineOptions<C> {
  readonly documents: Documents<C>;
  /** The live tree: its `configs` are configuration files, its `state` is ours. Absolute. */
  readonly home: string;
  readonly db: Database;
  /** The kernel to begin with; `attach` changes it. */
  readonly host: Host;
  readonly planner: Planner<C>;
  readonly bus: Bus;
  readonly notices: NoticeBoard;
  readonly log: Log;
  /** Further refusals of changes that are neither forced nor under a window. */
  readonly guards?: readonly Guard<C>[];
  /** What follows from a change in other parts of the configuration; nothing where it is left out. */
  readonly follow?: Follow<C>;
  /** What previews say beside the kernel's changes, in this order. */
  readonly effects?: readonly Effects<C>[];
  /** What this machine lacks, where a configuration is the first that is applied to it; default never. */
  readonly firstApply?: Parts<C>["firstApply"];
  /** Wall clock, unix milliseconds. */
  readonly now?: () => number;
  /** The time that it is at least, by which old revisions are removed; `now` where it is left out. */
  readonly surely?: () => number;
  /** Seconds since the machine was started, sleep included. */
  readonly bootClock?: () => number;
  /** Monotonic clock in seconds with their fractions; `bootClock` where only that is given. */
  readonly steady?: () => number;
  /** Identifiers and tokens that cannot be guessed. */
  readonly randomId?: () => string;
  /** Key of entity tags; the same one keeps them over restarts. Random by default. */
  readonly tagKey?: Uint8Array;
  readonly files?: Files;
  /** Called at each named step of the commit order, so that a test can look at what lies on disk. */
  readonly crash?: (point: string) => void;
  /** False: files are not watched and time passes only by `tick`. */
  readonly live?: boolean;
}

/** An engine's parts, and what it has to begin with. */
export interface Assembled<C> {
  readonly parts: Parts<C>;
  readonly started: Started<C>;
  /** Boot clock, in seconds. */
  readonly clock: () => number;
  /** Monotonic clock in seconds with their fractions. */
  readonly steady: () => number;
  /** Folder of configuration files. */
  readonly configs: string;
}

/** Reads a home and puts an engine's parts together; nothing is active yet. */
export async function assemble<C>(options: EngineOptions<C>): Promise<Assembled<C>> {
  const { documents, home, planner, host, log, notices, bus } = options;
  const now = options.now ?? Date.now;
  const clock = options.bootClock ?? (() => Deno.osUptime());
  // Deno.osUptime() counts whole seconds.
  const steady = options.steady ?? options.bootClock ?? (() => performance.now() / 1000);
  const step = options.crash ?? (() => {});
  const disk = options.files ?? files;
  const configs = join(home, "configs");
  const journal = new Journal(options.db);
  const configFiles = new ConfigFiles(documents, configs, disk);
  // A folder that is made later would be watched too late for the first edit in it.
  for (const name of configFiles.names) {
    await Deno.mkdir(dirname(configFiles.path(name)), { recursive: true, mode: 0o750 })
      // If something else is in its place, its files are reported as unreadable.
      .catch((error) => {
        if (!isFileError(error) && !(error instanceof Deno.errors.AlreadyExists)) throw error;
      });
  }
  const observations = new ObservationFile(home, disk, clock);
  const unseen = (error: unknown): void =>
    log.warn("engine.observations_unreadable", "state/devices/observed.json cannot be read", {
      error,
    });
  const started = await start({ files: configFiles, journal, notices, log });
  const observed = await settled(await observations.load(unseen), started.config, {
    planner,
    observations,
    log,
  });
  const active = new ActiveConfig(started.config, observed, {
    documents,
    rejected: started.rejected,
    tagKey: options.tagKey ?? crypto.getRandomValues(new Uint8Array(32)),
  });
  const release = new ReleaseFile(home);
  const enforcement = new Enforcement(
    { planner, host, log, step, released: await release.isThere() },
    started.config,
    observed,
  );
  const parts: Parts<C> = {
    documents,
    planner,
    active,
    journal,
    files: configFiles,
    enforcement,
    flows: new RunningFlows({ host: () => enforcement.host, notices, log, clock }),
    accessChanges: new SharedWork(),
    observations,
    release,
    window: new ConfirmWindow(clock, now),
    guards: options.guards ?? [],
    follow: options.follow ?? (({ after: config }) => ({ config, effects: [] })),
    effects: options.effects ?? [],
    firstApply: options.firstApply ?? (() => Promise.resolve(null)),
    notices,
    bus,
    log,
    now,
    surely: options.surely ?? now,
    randomId: options.randomId ?? randomId,
    step,
  };
  return { parts, started, clock, steady, configs };
}

/** What was observed, with what follows from it for good; that is written before anything does. */
async function settled<C>(
  observed: Observations,
  config: C,
  { planner, observations, log }: Pick<Parts<C>, "planner" | "observations" | "log">,
): Promise<Observations> {
  const timed = planner.timed?.(config, observed) ?? observed;
  const next = planner.settle?.(config, timed) ?? timed;
  if (next === observed) return observed;
  try {
    await observations.write(next);
  } catch (error) {
    // A full disk keeps no router from starting.
    log.error("engine.observations_not_written", "Could not write observations", { error });
  }
  return next;
}

/** 128 random bits as 22 characters of base64url. */
function randomId(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}
