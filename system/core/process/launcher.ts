import { attachmentLine } from "./attached.ts";
import { childLine, eachLine, terminalLine } from "./child_lines.ts";
import { join } from "node:path";
import { answerControl, type Control, LAUNCHER_SOCKET } from "./control.ts";
import { denoArguments, MEMORY_VARIABLES } from "./deno_arguments.ts";
import type { ProcessDescriptor } from "./descriptor.ts";
import { LIFE_SIGN, LIFE_SIGN_INTERVAL_MS, LifeWatch, MAX_SILENCE_S } from "./life_signs.ts";
import { lockHome, prepareHome } from "../config/home.ts";
import { LineOutput } from "../log/line_output.ts";
import { type Log, type LogMethod, openLog } from "../log/log.ts";
import { logFile, LogFiles } from "../log/log_files.ts";
import { REFUSED } from "../errors/refusal.ts";
import { idsOf } from "./accounts.ts";
import { restricted, type Restriction } from "./privileges.ts";
import { savedSecret } from "./saved_secret.ts";
import { findRestriction } from "./separation.ts";
import { cacheFolder, privateFolder, shareHome } from "./shared_home.ts";
import { type Settings, settingsEnvironment } from "./settings.ts";
import { type Child, Supervisor } from "./supervisor.ts";
import { signalChild } from "./signal_child.ts";
import { serveUnix } from "../ipc/unix_socket.ts";
import { listenerWatch } from "../ipc/watched_server.ts";
import { within } from "../time/timeouts.ts";

/**
 * True where the launcher was started with V8's collector exposed (`deno task start`): it and its
 * processes free the memory of their start then.
 */
const COLLECTS = "gc" in globalThis;
/** For open requests at a stop, within its five seconds. */
const DRAIN_TIMEOUT_MS = 500;
/** For the last log lines of a child that exited. */
const FINAL_LINES_TIMEOUT_MS = 300;

/** Options of the launcher. */
export interface LaunchOptions {
  /** In the order in which they are started. */
  readonly processes: readonly ProcessDescriptor[];
  readonly settings: Settings;
  readonly log: Log;
  /** Variables that every child inherits, such as PATH and DENO_DIR. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A running launcher. */
export interface Launcher {
  /** Resolves with the exit status when it should exit because a process refused to start. */
  readonly ended: Promise<number>;
  /** Stops every process and removes the socket; within five seconds. */
  stop(): Promise<void>;
}

/**
 * Locks the home, creates what is missing in it, and keeps the processes running. Throws
 * {@link import("../errors/refusal.ts").Refusal} when another Sluice runs on this home.
 */
export async function launch(options: LaunchOptions): Promise<Launcher> {
  const { processes, settings } = options;
  const lock = await lockHome(settings.home, "launcher", {
    patience: 0,
    wait: () => Promise.resolve(),
  });
  const restriction = await findRestriction({ processes, settings, log: options.log, succeeds });
  const accounts = restriction?.accounts ?? null;
  // What is the api's is made by the api.
  const made = accounts === null
    ? await prepareHome(settings, processes.flatMap(({ folders }) => folders))
    : [];
  if (accounts !== null) {
    await shareHome(settings.home, processes, accounts);
    // As in the units: what two processes share is open to their group.
    Deno.umask(0o007);
  }
  const lines = new LogFiles(logFile(settings.home));
  const log = both(
    options.log,
    openLog({ process: "launcher", human: false, write: (line) => lines.append(line) }),
  );
  if (made.length > 0) {
    log.info("launcher.home_created", "Created configuration", {
      home: settings.home,
      files: made.length,
    });
  }

  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const output = new LineOutput((bytes) => Deno.stderr.write(bytes));
  const managed = supervise({ ...options, log, lines, output, restriction }, end);
  const server = await serveUnix(
    join(settings.home, "state", LAUNCHER_SOCKET),
    (request) => answerControl(control(managed), request),
    listenerWatch(log),
  );
  log.info("launcher.started", "The launcher runs", { pid: Deno.pid, home: settings.home });
  for (const { name, autostart } of processes) {
    if (autostart(settings)) startInTurn(managed, name);
  }
  return {
    ended,
    stop: async () => {
      await Promise.all([...managed.values()].map((entry) => entry.supervisor.stop()));
      // Clients that keep a request open are not waited for.
      await within(DRAIN_TIMEOUT_MS, server.shutdown());
      lines[Symbol.dispose]();
      await within(FINAL_LINES_TIMEOUT_MS, output.flush());
      lock[Symbol.dispose]();
    },
  };
}

interface ManagedProcess {
  readonly process: ProcessDescriptor;
  readonly supervisor: Supervisor;
  /** Processes to start once this one has exited. */
  readonly waiting: Set<string>;
}

type ManagedProcesses = ReadonlyMap<string, ManagedProcess>;

/** What children are started with. */
interface SpawnOptions extends LaunchOptions {
  /** The log files that their output goes to. */
  readonly lines: LogFiles;
  /** Standard error of the launcher. */
  readonly output: LineOutput;
  readonly restriction: Restriction | null;
}

function supervise(options: SpawnOptions, end: (status: number) => void): ManagedProcesses {
  const { processes, log } = options;
  const managed = new Map<string, ManagedProcess>();
  for (const process of processes) {
    const waiting = new Set<string>();
    const supervisor = new Supervisor({
      process,
      spawn: () => spawn(process, options),
      log,
      now: Date.now,
      after: (milliseconds, action) => {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
      },
      onEnd: (status) => {
        // Even after a failure: netd reports a missing tool itself, and must not wait for ever.
        for (const name of waiting) managed.get(name)?.supervisor.start();
        waiting.clear();
        const refused = status.state === "refused" && process.runs === "always";
        // A refusal at the first start ends the launcher; later, the other processes go on.
        if (refused && status.restarts === 0) end(REFUSED);
      },
    });
    managed.set(process.name, { process, supervisor, waiting });
  }
  return managed;
}

/** Starts a process, at once or when the one that it starts after has exited. */
function startInTurn(managed: ManagedProcesses, name: string): void {
  const entry = managed.get(name);
  if (entry === undefined) return;
  const before = managed.get(entry.process.startsAfter ?? "");
  if (before?.supervisor.status.state === "running") before.waiting.add(name);
  else entry.supervisor.start();
}

function control(managed: ManagedProcesses): Control {
  const find = (name: string): ManagedProcess => {
    const entry = managed.get(name);
    if (entry === undefined) throw new Error(`There is no process ${name}`);
    return entry;
  };
  return {
    list: () => Promise.resolve([...managed.values()].map(({ supervisor }) => supervisor.status)),
    start: (name) => {
      startInTurn(managed, name);
      return Promise.resolve(find(name).supervisor.status);
    },
    stop: async (name) => {
      for (const { waiting } of managed.values()) waiting.delete(name);
      await find(name).supervisor.stop();
      return find(name).supervisor.status;
    },
    restart: async (name) => {
      await find(name).supervisor.restart();
      return find(name).supervisor.status;
    },
  };
}

/** Starts a child in our process group; its standard input stays open until we exit. */
function spawn(process: ProcessDescriptor, options: SpawnOptions): Child {
  const { restriction } = options;
  const { settings, environment } = startOf(process, options);
  const deno = [Deno.execPath(), ...denoArguments(process, settings, undefined, COLLECTS)];
  const [command, ...args] = restriction === null
    ? deno
    : [...restricted(restriction, process), ...deno];
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(command!, {
      args,
      cwd: settings.root,
      clearEnv: true,
      env: { ...environment, ...MEMORY_VARIABLES, ...settingsEnvironment(settings) },
      stdin: "piped",
      stdout: "inherit",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    options.log.error("launcher.process_start_failed", "Could not start a process", {
      name: process.name,
      error,
    });
    return { pid: 0, ended: Promise.resolve({ code: 127, signal: null }), signal: () => {} };
  }
  const life = new LifeWatch(
    (process.maxSilence ?? MAX_SILENCE_S) * 1000 / LIFE_SIGN_INTERVAL_MS,
  );
  const looking = setInterval(() => {
    if (!life.look()) return;
    options.log.error("process.stuck", "A process gives no sign of life: it is ended", {
      name: process.name,
      pid: child.pid,
    });
    // One that is stopped or hangs takes no other signal.
    signalChild(child, "SIGKILL");
  }, LIFE_SIGN_INTERVAL_MS);
  const outputEnd = forwardOutput(child.stderr, process.name, { ...options, life })
    .catch(() => {});
  const writer = child.stdin.getWriter();
  // A child that has exited cannot read it; its status says why.
  writer.write(attachmentLine(process.secrets === true ? settings.secrets : null)).catch(() => {});
  return {
    pid: child.pid,
    ended: child.status.then(async ({ code, signal }) => {
      clearInterval(looking);
      // A process that the child left behind may keep the pipe open for ever.
      await within(FINAL_LINES_TIMEOUT_MS, outputEnd);
      await writer.close().catch(() => {});
      return { code, signal };
    }),
    signal: (name) => signalChild(child, name),
  };
}

/** Settings and environment of a process that has a user of its own, or files that only it may touch. */
function startOf(
  process: ProcessDescriptor,
  { settings, environment, restriction }: SpawnOptions,
): Pick<SpawnOptions, "settings" | "environment"> {
  const accounts = restriction?.accounts ?? null;
  if (accounts === null || process.unit === null) return { settings, environment };
  const { home } = settings;
  const privateState = process.unit.privateState === true ? privateFolder(home, process) : null;
  const isRoot = idsOf(process.unit.account, accounts).uid === 0;
  const HOME = cacheFolder(home, process);
  return {
    settings: { ...settings, privateState },
    environment: isRoot ? environment : { ...environment, HOME, DENO_DIR: HOME },
  };
}

/** Runs a command to its end; one that is not there did not succeed. */
async function succeeds([command, ...args]: readonly string[]): Promise<boolean> {
  try {
    const options = { args, stdin: "null", stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command!, options).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Forwards a child's output to our standard error and to the log files. */
async function forwardOutput(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  name: string,
  { lines, output, settings, life }: SpawnOptions & { readonly life: LifeWatch },
): Promise<void> {
  const human = Deno.stderr.isTerminal();
  await eachLine(stream, (text) => {
    if (text === LIFE_SIGN) return life.sign();
    const line = childLine(text, { process: name, at: new Date() });
    lines.append(line);
    output.add(human ? terminalLine(line.slice(0, -1)) : line);
    const saved = human ? savedSecret(text, { process: name, home: settings.home }) : "";
    if (saved !== "") output.add(saved);
  });
}

/** A log that writes every line to two others. */
function both(one: Log, other: Log): Log {
  const at = (level: keyof Log): LogMethod => (event, message, fields) => {
    one[level](event, message, fields);
    other[level](event, message, fields);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
