import { dirname, join } from "node:path";
import type { Observed } from "./change.ts";
import { ConfigFiles } from "./files/config_files.ts";
import { ConfirmWindow } from "./confirm_window.ts";
import type { EngineOptions } from "./options.ts";
import { Enforcement } from "./kernel/enforcement.ts";
import { files } from "../config/files.ts";
import { InForce } from "./active_config.ts";
import { Journal } from "./journal/journal.ts";
import { ObservationFile } from "./files/observations.ts";
import type { Parts } from "./parts.ts";
import { ReleaseFile } from "./files/release_file.ts";
import { start, type Started } from "./start.ts";

/** An engine's parts, and what it has to begin with. */
export interface Assembled<C> {
  readonly parts: Parts<C>;
  readonly started: Started<C>;
  /** Boot clock, in seconds. */
  readonly clock: () => number;
  /** Folder of people's files. */
  readonly configs: string;
}

/** Reads a home and puts an engine's parts together; nothing is in force yet. */
export async function assemble<C>(options: EngineOptions<C>): Promise<Assembled<C>> {
  const { documents, home, planner, host, log, notices, bus } = options;
  const now = options.now ?? Date.now;
  const clock = options.bootClock ?? (() => Deno.osUptime());
  const step = options.crash ?? (() => {});
  const disk = options.files ?? files;
  const configs = join(home, "configs");
  const journal = new Journal(options.db);
  const configFiles = new ConfigFiles(documents, configs, disk);
  // A folder that is made later would be watched too late for the first edit in it.
  for (const name of configFiles.names) {
    await Deno.mkdir(dirname(configFiles.path(name)), { recursive: true, mode: 0o750 });
  }
  const observations = new ObservationFile(home, disk, clock);
  const started = await start({ files: configFiles, journal, notices, log });
  const observed = await settled(await observations.load(), started.config, {
    planner,
    observations,
    log,
  });
  const inForce = new InForce(started.config, observed, {
    aside: started.aside,
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
    inForce,
    journal,
    files: configFiles,
    enforcement,
    observations,
    release,
    window: new ConfirmWindow(clock, now),
    guards: options.guards ?? [],
    notices,
    bus,
    log,
    now,
    surely: options.surely ?? now,
    randomId: options.randomId ?? randomId,
    step,
  };
  return { parts, started, clock, configs };
}

/** What was observed, with what follows from it for good; that is written before anything does. */
async function settled<C>(
  observed: Observed,
  config: C,
  { planner, observations, log }: Pick<Parts<C>, "planner" | "observations" | "log">,
): Promise<Observed> {
  const next = planner.settle?.(config, observed) ?? observed;
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
