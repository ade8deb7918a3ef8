import { eachLine } from "../../core/process/child_lines.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import type { Child } from "../../core/process/supervisor.ts";
import { run } from "./run.ts";
import { toolPaths } from "./tools.ts";

/** How the program of a plugin is started. */
export interface PluginStart {
  /** Arguments of Deno. */
  readonly args: readonly string[];
  /** The folder that it starts in. */
  readonly folder: string;
  /** The folder of Deno's own cache. */
  readonly cache: string;
  /** Receives each line that it writes. */
  readonly line: (text: string) => void;
}

/**
 * Starts a program under Deno with a clean environment. It ends with this process, however that ends:
 * `setpriv` has the kernel kill it then.
 */
export function startPluginProgram({ args, folder, cache, line }: PluginStart): Child {
  const child = spawn([Deno.execPath(), ...args], folder, cache);
  for (const stream of [child.stdout, child.stderr]) void eachLine(stream, line).catch(() => {});
  return {
    pid: child.pid,
    ended: child.status.then(({ code, signal }) => ({ code, signal })),
    signal: (name) => signalChild(child, name),
  };
}

function spawn(
  command: readonly string[],
  folder: string,
  cache: string,
): Deno.ChildProcess {
  const options = {
    cwd: folder,
    clearEnv: true,
    env: { HOME: cache, DENO_DIR: cache, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  } as const;
  for (const setpriv of toolPaths("setpriv")) {
    try {
      const args = ["--pdeathsig", "KILL", "--no-new-privs", "--", ...command];
      return new Deno.Command(setpriv, { args, ...options }).spawn();
    } catch (error) {
      const isAbsent = error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotCapable;
      if (!isAbsent) throw error;
    }
  }
  const [deno, ...args] = command;
  return new Deno.Command(deno!, { args, ...options }).spawn();
}

/** Bytes of memory that processes hold, by their ID. Never throws. */
export async function memoryOf(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (pids.length === 0) return new Map();
  try {
    const { stdout } = await run("ps", { args: ["-o", "pid=,rss=", "-p", pids.join(",")] });
    return new Map(
      stdout.trim().split("\n").map((text) => {
        const [pid, kilobytes] = text.trim().split(/\s+/).map(Number);
        return [pid!, kilobytes! * 1024] as const;
      }),
    );
  } catch {
    // Without ps the limit of V8 holds alone.
    return new Map();
  }
}

/** Makes a link, in the place of one that is there. */
export async function linkTo(target: string, link: string): Promise<void> {
  await run("ln", { args: ["-s", "-f", "-n", "-T", "--", target, link] });
}

/** Seconds that a repository may take. */
const FETCH_SECONDS = 120;

/**
 * Fetches the latest files of a repository over TLS into a folder that is not there yet, without its
 * history and the repositories inside it. Throws Problem 502 where that fails.
 */
export async function fetchRepository(url: string, folder: string): Promise<string | null> {
  const config = [
    ...["protocol.allow=never", "protocol.https.allow=always", "core.hooksPath=/dev/null"],
    ...[
      "core.symlinks=false",
      "core.fsmonitor=false",
      "credential.helper=",
      "http.followRedirects=false",
    ],
    ...["core.askPass=", "transfer.fsckObjects=true", "core.longpaths=false"],
  ];
  const { ok, stderr } = await run("git", {
    args: [
      ...config.flatMap((setting) => ["-c", setting]),
      ...["clone", "--quiet", "--depth=1", "--single-branch", "--no-tags"],
      ...["--no-recurse-submodules", "--template=", "--", url, folder],
    ],
    seconds: FETCH_SECONDS,
    maxOutput: 64 << 10,
  });
  return ok ? null : stderr.trim();
}
