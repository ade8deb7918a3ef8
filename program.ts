import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { attach } from "./system/core/process/attached.ts";
import { freeStartMemory } from "./system/core/process/start_garbage.ts";
import { giveLifeSigns } from "./system/core/process/life_signs.ts";
import { startWatchdog } from "./system/core/process/watchdog.ts";
import { lockHome, prepareHome } from "./system/core/config/home.ts";
import { launch } from "./system/core/process/launcher.ts";
import {
  logUncaughtErrors,
  parentGone,
  type Running,
  untilStopped,
} from "./system/core/process/lifetime.ts";
import { type Log, standardLog } from "./system/core/log/log.ts";
import { startFailure } from "./system/core/errors/disk_error.ts";
import { isRefused, Refusal, REFUSED } from "./system/core/errors/refusal.ts";
import {
  parseSettings,
  pathArguments,
  SECRET_VARIABLES,
  type Settings,
  VARIABLES,
} from "./system/core/process/settings.ts";
import { PROCESSES, SERVICES, STATE_FOLDERS } from "./system/processes.ts";

/** Environment variables that the launcher's children inherit: PATH, Deno's cache, CA certificates, locale. */
const INHERITED_VARIABLES = [
  ...["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", "LANG", "TZ", "TERM", "NO_COLOR"],
  ...["DENO_TLS_CA_STORE", "SSL_CERT_FILE", "SSL_CERT_DIR"],
];
const PARENT_CHECK_INTERVAL_MS = 500;

/** Imports the module of a process, by the name of the process. */
export type LoadService = (
  name: string,
) => Promise<{ start(settings: Settings): Promise<Running> }>;

function read(names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(
    found.filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

async function startLauncher(settings: Settings, log: Log): Promise<number> {
  const environment = read(INHERITED_VARIABLES);
  const launcher = launch({ processes: PROCESSES, settings, log, environment });
  launcher.then(freeStartMemory, () => {});
  const gone = settings.attached ? parentGone(PARENT_CHECK_INTERVAL_MS) : null;
  return await untilStopped(launcher, { log, gone, stopTimeoutMs: 4800 });
}

/** Lets systemd restart the process when its loop does not go round any more. */
function feedWatchdog(
  own: string,
  { name, log }: { readonly name: string; readonly log: Log },
): void {
  try {
    const seconds = PROCESSES.find((process) => process.name === name)?.maxSilence;
    startWatchdog({ own, ...(seconds === undefined ? {} : { seconds }) });
  } catch (error) {
    log.warn("process.watchdog_missing", "systemd cannot notice if this process hangs", { error });
  }
}

async function startNamed(
  name: string,
  { plain, load, log }: {
    readonly plain: Settings;
    readonly load: LoadService;
    readonly log: Log;
  },
): Promise<number> {
  if (!PROCESSES.some((process) => process.name === name)) {
    const names = PROCESSES.map((process) => process.name).join(", ");
    throw new Refusal(`There is no process "${name}". Write one of ${names}`);
  }
  const attachment = plain.attached ? await attach(Deno.stdin.readable) : null;
  const settings = attachment === null ? plain : { ...plain, secrets: attachment.secrets };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // After the launcher was killed, the previous process may still be exiting.
  using _lock = name === "api"
    ? await lockHome(settings.home, name, { patience: 6000, wait })
    : null;
  // A launcher of root leaves to the api what is the api's.
  if (name === "api" && (attachment === null || Deno.uid() !== 0)) {
    await prepareHome(settings, STATE_FOLDERS);
  }
  const service = await load(name);
  const gone = attachment?.gone ?? null;
  const starting = service.start(settings);
  // A start may take long on a slow machine, and its failure ends the process anyway.
  starting.then(() => {
    freeStartMemory();
    if (attachment !== null) giveLifeSigns((bytes) => Deno.stderr.write(bytes));
    if (settings.watchdog !== null) feedWatchdog(settings.watchdog, { name, log });
  }, () => {});
  return await untilStopped(starting, { log, gone, stopTimeoutMs: 3500 });
}

/**
 * Reads the environment, and runs the launcher or the one process that is named on the command line;
 * ends the process with it. `bundled`: the launcher starts the bundles of its processes, as it is
 * one itself.
 */
export async function runProgram(load: LoadService, bundled: boolean): Promise<never> {
  const environment = read([...VARIABLES, ...SECRET_VARIABLES]);
  for (const name of SECRET_VARIABLES) Deno.env.delete(name);
  const [name] = Deno.args.filter((argument) => !argument.startsWith("--"));
  const log = standardLog(name ?? "launcher");
  try {
    const attached = Deno.args.includes("--attached");
    const root = dirname(fileURLToPath(import.meta.url));
    const plain = parseSettings(environment, {
      root,
      bundled,
      attached,
      services: SERVICES,
      ...pathArguments(Deno.args),
    });
    logUncaughtErrors(log);
    Deno.exit(
      await (name === undefined
        ? startLauncher(plain, log)
        : startNamed(name, { plain, load, log })),
    );
  } catch (error) {
    // A refusal is for the operator, whom no stack trace would help.
    const refused = isRefused(error);
    if (refused) {
      error.message.split("\n").forEach((line) => log.error("process.start_refused", line));
    } else log.error("process.start_failed", startFailure(error), { error });
    Deno.exit(refused ? REFUSED : 1);
  }
}
