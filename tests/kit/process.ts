import { join } from "node:path";
import { HANGING } from "./pace.ts";
import { MEMORY_VARIABLES } from "../../system/core/process/deno_arguments.ts";
import { LAUNCHER_FLAGS, launcherBundle } from "./run/bundle.ts";

/** Folder of the project. */
export const ROOT = join(import.meta.dirname ?? "", "../..");

const POLL_MS = 20;

/** How a Sluice of its own is started. */
export interface StartOptions {
  /** Live tree; must be a folder of the test. */
  readonly home: string;
  /** Further `SLUICE_…` variables, over those of a machine that is not touched. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder of the program; the project's own unless told. */
  readonly root?: string;
  /** Start it by `deno task start`, as the README says, rather than by itself. */
  readonly task?: boolean;
  /** Network namespace that it runs in; this machine's unless told. */
  readonly space?: string;
  /** In such a namespace: folders that it sees others in place of, by what it sees them as. */
  readonly covers?: Readonly<Record<string, string>>;
}

/** A launcher with its children, as a process of its own. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Address of the API, without a slash at the end. */
  readonly url: string;
  readonly status: Promise<Deno.CommandStatus>;
  /** What it wrote to its standard error so far. */
  readonly log: () => string;
  /** Sends a signal and answers how it ended. */
  stop(signal?: Deno.Signal): Promise<Deno.CommandStatus>;
}

/** Starts Sluice as `deno task start` does, on a free port of the loopback, network off. */
export function startProgram(options: StartOptions): Program {
  const root = options.root ?? ROOT;
  const http = `127.0.0.1:${freePort()}`;
  const main = options.root === undefined ? launcherBundle() : join(root, "main.ts");
  const config = `--config=${join(root, "deno.json")}`;
  const args = options.task
    ? ["task", "-q", config, "start"]
    : ["run", "-q", "-P=launcher", LAUNCHER_FLAGS, config, main, "--attached"];
  const { space } = options;
  const mounts = Object.entries(options.covers ?? {})
    .map(([path, other]) => `mount --bind '${other}' '${path}' && `);
  const child = new Deno.Command(space === undefined ? Deno.execPath() : "ip", {
    args: space === undefined ? args : [
      ...["netns", "exec", space],
      ...["sh", "-c", `${mounts.join("")}exec "$@"`, "sh", Deno.execPath(), ...args],
    ],
    cwd: root,
    env: {
      ...MEMORY_VARIABLES,
      SLUICE_HOME: options.home,
      SLUICE_HTTP: http,
      SLUICE_NETWORK: "off",
      SLUICE_SERVICES: "none",
      SLUICE_ADMIN_PASSWORD: "correct horse battery",
      ...options.environment,
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let text = "";
  const read = collect(child.stderr, (more) => text += more);
  const status = Promise.all([child.status, read]).then(([ending]) => ending);
  const stop = async (signal: Deno.Signal = "SIGTERM"): Promise<Deno.CommandStatus> => {
    try {
      child.kill(signal);
    } catch (error) {
      // It ended by itself already.
      if (!(error instanceof TypeError)) throw error;
    }
    return await status;
  };
  return {
    pid: child.pid,
    url: `http://${http}`,
    status,
    log: () => text,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

/** Waits until the API answers anything. Throws with what the program said when it ends instead. */
export async function answered(program: Program): Promise<Response> {
  let ended = false;
  program.status.then(() => ended = true);
  const deadline = performance.now() + HANGING;
  while (!ended && performance.now() < deadline) {
    try {
      const response = await fetch(`${program.url}/`);
      await response.body?.cancel();
      return response;
    } catch {
      // Not listening yet.
      await pause();
    }
  }
  throw new Error(`${ended ? "It ended" : "It does not answer"}; it said:\n${program.log()}`);
}

/** Waits until `holds` is true of the world outside this process. Throws when it never is. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANGING;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`It never came to pass: ${what}`);
    await pause();
  }
}

/** True while a process of this id runs. */
export async function runs(pid: number): Promise<boolean> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    // A zombie has ended; its parent has only not looked yet.
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Makes a folder for the time of `work`. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = await closedFolder("sluice-");
  try {
    return await work(folder);
  } finally {
    await remove();
  }
}

/**
 * Makes a folder that only this user can reach. A home there lets a launcher of root run its processes
 * as root, with what Deno compiled of them before: users of their own would compile it anew.
 */
export async function closedFolder(
  prefix: string,
): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const around = await Deno.makeTempDir({ prefix });
  const folder = join(around, "home");
  await Deno.mkdir(folder);
  return { folder, remove: () => Deno.remove(around, { recursive: true }) };
}

/**
 * A port of the loopback that nobody listens on: one that the kernel gives to nobody who asks for any
 * (ip_local_port_range), so that it stays free until it is listened on.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
}
