import { join } from "node:path";
import { childOfRunner } from "../child_of_runner.ts";
import { command, type CommandResult, must } from "../lab/command.ts";
import { systemdInit } from "./systemd_init.ts";

/** How a command is run under systemd. */
export interface SystemdOptions {
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Read-only bind mounts: paths of this machine by their path inside. */
  readonly binds: Readonly<Record<string, string>>;
  /**
   * Folder of the overlay's writes, from which a later boot goes on. Not on the file system of `/`,
   * which is the lower layer.
   */
  readonly disk: string;
  /** Timeout of the machine. */
  readonly seconds: number;
}

/** The result of a command under systemd. */
export interface SystemdResult {
  readonly ok: boolean;
  readonly output: string;
}

const POLL_INTERVAL_MS = 200;
const MOUNT_GROUPS = 'mount -t cgroup2 cgroup2 "$1"';

/**
 * Why no systemd can be started here as the first process of namespaces; null where it can. It needs
 * root and version 2 of the control groups.
 */
export async function systemdUnavailable(): Promise<string | null> {
  if (Deno.uid() !== 0) return "it needs root";
  return await inFolder(async (folder) => {
    const { ok, stderr } = await withGroups(folder, 'mkdir "$1/try-$$" && rmdir "$1/try-$$"');
    return ok ? null : stderr.trim() || "there are no control groups";
  });
}

/**
 * Runs a command where Debian's systemd is the first process: in namespaces of its own, over the files
 * of this machine, which it cannot change, with a network of its own. Once the command has ended
 * everything is killed at once, as by a power cut. Throws an Error with systemd's last output where it
 * exited early or timed out.
 */
export async function runUnderSystemd(options: SystemdOptions): Promise<SystemdResult> {
  return await inFolder(async (run) => {
    const shared = join(run, "shared");
    const groups = join(run, "groups");
    for (const folder of [shared, groups]) await Deno.mkdir(folder);
    await Deno.mkdir(options.disk, { recursive: true });
    const init = join(run, "init");
    await Deno.writeTextFile(init, systemdInit({ ...options, shared }));
    const group = `sluice-${Deno.pid}-${run.slice(-6)}`;
    const child = start(`${MOUNT_GROUPS}\n${boot(group)}`, [groups, init]);
    const outputs = Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    let ended = false;
    void child.status.then(() => ended = true);
    const end = performance.now() + options.seconds * 1000;
    let status: string | null = null;
    while (status === null && !ended && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
      status = await read(join(shared, "status"));
    }
    const what = ended ? "systemd ended" : `Not done within ${options.seconds} seconds`;
    // It takes the machine along.
    if (!ended) Deno.kill(child.pid, "SIGKILL");
    await child.status;
    const message = (await outputs).join("").trim().slice(-2000);
    await removeGroup(groups, group);
    const output = await read(join(shared, "output")) ?? "";
    if (status === null) throw new Error(`${what}: ${message}\n${output}`);
    return { ok: Number(status) === 0, output };
  });
}

/** Starts the script that becomes the machine. */
function start(script: string, args: readonly string[]): Deno.ChildProcess {
  return childOfRunner(["unshare", "-m", "sh", "-ec", script, "sh", ...args], {
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Enters a control group of its own and becomes what starts systemd; killed, it takes that along. */
function boot(group: string): string {
  return [
    `mkdir "$1/${group}"`,
    `echo $$ >"$1/${group}/cgroup.procs"`,
    'exec unshare -mnipuC --fork --kill-child sh "$2"',
  ].join("\n");
}

/** Runs a script in a namespace of mounts of its own where `$1` holds all control groups. */
async function withGroups(folder: string, script: string): Promise<CommandResult> {
  return await command("unshare", ["-m", "sh", "-ec", `${MOUNT_GROUPS}\n${script}`, "sh", folder]);
}

/** Removes a control group and those below it, which their processes have left. */
async function removeGroup(groups: string, group: string): Promise<void> {
  const own = `"$1/${group}"`;
  const script = `[ ! -d ${own} ] || exec find ${own} -depth -type d -exec rmdir {} +`;
  for (let tries = 0; tries < 50; tries++) {
    const { ok } = await withGroups(groups, script);
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`The control group ${group} is not empty`);
}

async function read(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "sluice-systemd-" });
  try {
    return await work(folder);
  } finally {
    await must("rm", ["-rf", "--one-file-system", folder]);
  }
}
