import { attachmentLine } from "./attached.ts";
import { childLine, eachLine, shownLine } from "./child_lines.ts";
import { join } from "node:path";
import { answerControl, type Control, LAUNCHER_SOCKET } from "./control.ts";
import { denoArguments } from "./deno_arguments.ts";
import type { ProcessDescriptor } from "./descriptor.ts";
import { lockHome, prepareHome } from "../config/home.ts";
import { LineOutput } from "../log/line_output.ts";
import { type Log, type LogMethod, openLog } from "../log/log.ts";
import { logFile, LogFiles } from "../log/log_files.ts";
import { REFUSED } from "../errors/refusal.ts";
import { type Settings, settingsEnvironment } from "./settings.ts";
import { type Child, Supervisor } from "./supervisor.ts";
import { serveUnix } from "../ipc/unix_socket.ts";
import { within } from "../time/within.ts";

/** Time that open requests get at a stop, within the five seconds that all of it takes. */
const DRAIN_TIMEOUT_MS = 500;
/** Time to wait for the last log lines of a child that ended. */
const FINAL_LINES_TIMEOUT_MS = 300;

/** What the launcher works with. */
export interface LaunchOptions {
  /** In the order in which they are started. */
  readonly processes: readonly ProcessDescriptor[];
  readonly settings: Settings;
  readonly log: Log;
  /** Variables that every child needs from ours, such as PATH and where Deno keeps its cache. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A running launcher. */
export interface Launcher {
  /** Resolves with the exit status when it should end by itself, because the api refused to start. */
  readonly ended: Promise<number>;
  /** Stops every process and removes the socket; within five seconds. */
  stop(): Promise<void>;
}

/**
 * Takes the home, makes what is missing of it, and keeps the processes of the table running. Throws
 * {@link import("../errors/refusal.ts").Refusal} when another Sluice runs on this home.
 */
export async function launch(options: LaunchOptions): Promise<Launcher> {
  const { processes, settings } = options;
  const lock = await lockHome(settings.home, "launcher", {
    patience: 0,
    wait: () => Promise.resolve(),
  });
  const made = await prepareHome(settings, processes.flatMap(({ folders }) => folders));
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
  const keepers = supervise({ ...options, log, lines, output }, end);
  const server = await serveUnix(
    join(settings.home, "state", LAUNCHER_SOCKET),
    (request) => answerControl(control(keepers), request),
  );
  log.info("launcher.started", "The launcher runs", { pid: Deno.pid, home: settings.home });
  // From here on it only starts and stops children: no network, not even the loopback.
  await Deno.permissions.revoke({ name: "net" });
  for (const { name, autostart } of processes) {
    if (autostart(settings)) startInTurn(keepers, name);
  }
  return {
    ended,
    stop: async () => {
      await Promise.all([...keepers.values()].map((keeper) => keeper.supervisor.stop()));
      // Whoever keeps a request of theirs open is not waited for.
      await within(DRAIN_TIMEOUT_MS, server.shutdown());
      lines[Symbol.dispose]();
      await within(FINAL_LINES_TIMEOUT_MS, output.flush());
      lock[Symbol.dispose]();
    },
  };
}

interface Keeper {
  readonly process: ProcessDescriptor;
  readonly supervisor: Supervisor;
  /** Processes that were asked for and wait for this one to end. */
  readonly waiting: Set<string>;
}

type Keepers = ReadonlyMap<string, Keeper>;

/** What children are started and heard with. */
interface Nursery extends LaunchOptions {
  /** Keeps what they say. */
  readonly lines: LogFiles;
  /** Shows it. */
  readonly output: LineOutput;
}

function supervise(options: Nursery, end: (status: number) => void): Keepers {
  const { processes, log } = options;
  const keepers = new Map<string, Keeper>();
  for (const process of processes) {
    const waiting = new Set<string>();
    const supervisor = new Supervisor({
      process,
      spawn: (description) => spawn(description, options),
      log,
      now: Date.now,
      after: (milliseconds, action) => {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
      },
      onEnd: (status) => {
        // Whatever came of it: netd with a tool missing says so itself, and must not wait for ever.
        for (const name of waiting) keepers.get(name)?.supervisor.start();
        waiting.clear();
        const refused = status.state === "refused" && process.runs === "always";
        // A refusal at the start is for the person at the terminal; later the others go on.
        if (refused && status.restarts === 0) end(REFUSED);
      },
    });
    keepers.set(process.name, { process, supervisor, waiting });
  }
  return keepers;
}

/** Starts a process, or notes that it starts once the one before it has ended. */
function startInTurn(keepers: Keepers, name: string): void {
  const keeper = keepers.get(name);
  if (keeper === undefined) return;
  const before = keepers.get(keeper.process.startsAfter ?? "");
  if (before?.supervisor.status.state === "running") before.waiting.add(name);
  else keeper.supervisor.start();
}

function control(keepers: Keepers): Control {
  const find = (name: string): Keeper => {
    const keeper = keepers.get(name);
    if (keeper === undefined) throw new Error(`${name} is not in the table`);
    return keeper;
  };
  return {
    list: () => Promise.resolve([...keepers.values()].map(({ supervisor }) => supervisor.status)),
    start: (name) => {
      startInTurn(keepers, name);
      return Promise.resolve(find(name).supervisor.status);
    },
    stop: async (name) => {
      for (const { waiting } of keepers.values()) waiting.delete(name);
      await find(name).supervisor.stop();
      return find(name).supervisor.status;
    },
    restart: async (name) => {
      await find(name).supervisor.restart();
      return find(name).supervisor.status;
    },
  };
}

/** Starts a child in our own process group; its standard input stays open for as long as we live. */
function spawn(process: ProcessDescriptor, options: Nursery): Child {
  const { settings, environment } = options;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(Deno.execPath(), {
      args: [...denoArguments(process, settings)],
      cwd: settings.root,
      clearEnv: true,
      env: { ...environment, ...settingsEnvironment(settings) },
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
  const heard = hear(child.stderr, process.name, options).catch(() => {});
  const writer = child.stdin.getWriter();
  // A child that ended already cannot take it; its end is reported by its status.
  writer.write(attachmentLine(process.secrets === true ? settings.secrets : null)).catch(() => {});
  return {
    pid: child.pid,
    ended: child.status.then(async ({ code, signal }) => {
      // Something that the child started and left behind may keep its end of the pipe for ever.
      await within(FINAL_LINES_TIMEOUT_MS, heard);
      await writer.close().catch(() => {});
      return { code, signal };
    }),
    signal: (name) => {
      try {
        child.kill(name);
      } catch (error) {
        // It ended between our look and the call.
        if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
      }
    },
  };
}

/** Passes on what a child says: to our own standard error, and to the files that people read later. */
async function hear(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  name: string,
  { lines, output }: Nursery,
): Promise<void> {
  const human = Deno.stderr.isTerminal();
  await eachLine(stream, (text) => {
    const line = childLine(text, { process: name, at: new Date() });
    lines.append(line);
    output.add(human ? shownLine(line.slice(0, -1)) : line);
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
