import { join } from "node:path";
import { isFileError } from "../../core/errors/disk_error.ts";
import { Problem } from "../../core/errors/problem.ts";
import { serveUnix } from "../../core/ipc/unix_socket.ts";
import { listenerWatch } from "../../core/ipc/watched_server.ts";
import { type Log } from "../../core/log/log.ts";
import type { Running } from "../../core/process/lifetime.ts";
import { Supervisor } from "../../core/process/supervisor.ts";
import {
  fetchRepository,
  linkTo,
  memoryOf,
  startPluginProgram,
} from "../../host/tools/plugin_program.ts";
import { readCode } from "../install/code.ts";
import { readFolder } from "../install/folder.ts";
import { isGitUrl } from "../schema.ts";
import {
  answerPluginControl,
  type PluginControl,
  type PluginPlan,
  type ProgramState,
} from "./control.ts";
import type { Manifest } from "./manifest.ts";
import { PLUGIND_FOLDER, type PluginPlaces, pluginPlaces, runArguments } from "./run_arguments.ts";

/** Milliseconds between two looks at the memory of programs. */
const MEMORY_CHECK_INTERVAL_MS = 5000;
/** Bytes that a program may hold beside its heap: Deno itself, buffers and native memory. */
const BESIDE_HEAP = 128 << 20;
/** Lines of one program that are logged in a second; more are counted. */
const MAX_LINES_A_SECOND = 50;

/** Options of plugind. */
export interface PlugindOptions {
  readonly home: string;
  readonly socket: string;
  readonly log: Log;
  /** The log of a plugin, by its name. */
  readonly logOf: (name: string) => Log;
}

interface Program {
  readonly name: string;
  readonly codeHash: string;
  readonly supervisor: Supervisor;
  readonly limit: number;
  pid: number;
  memory: number;
  detail: string;
}

/** Runs approved plugins; the api says which. */
export async function startPlugind(options: PlugindOptions): Promise<Running> {
  const { log, socket } = options;
  const programs = new Programs(options);
  const server = await serveUnix(
    socket,
    (request) => answerPluginControl(programs, request),
    listenerWatch(log),
  );
  const timer = setInterval(() => void programs.checkMemory(), MEMORY_CHECK_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await programs.stop();
      await server.shutdown();
    },
  };
}

class Programs implements PluginControl {
  readonly #options: PlugindOptions;
  readonly #running = new Map<string, Program>();
  /** Plugins that could not be started, and why. */
  readonly #refused = new Map<string, { readonly codeHash: string; readonly detail: string }>();
  readonly #links = new Map<number, string>();
  /** Plans are applied one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: PlugindOptions) {
    this.#options = options;
  }

  apply(plan: PluginPlan): Promise<readonly ProgramState[]> {
    const done = this.#queue.then(() => this.#apply(plan));
    this.#queue = done.catch(() => {});
    return done;
  }

  async restart(name: string): Promise<void> {
    const program = this.#running.get(name);
    if (program === undefined) throw new Problem(404, `The plugin ${name} does not run`);
    await removeSocket(this.#places(program));
    await program.supervisor.restart();
  }

  async fetch(url: string): Promise<string> {
    if (!isGitUrl(url)) throw new Problem(400, "Write an https address without credentials");
    const folder = crypto.randomUUID().replaceAll("-", "");
    const incoming = join(this.#options.home, "state", PLUGIND_FOLDER, "incoming");
    await Deno.mkdir(incoming, { recursive: true });
    const fault = await fetchRepository(url, join(incoming, folder));
    if (fault !== null) throw new Problem(502, `The repository could not be fetched: ${fault}`);
    return folder;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ supervisor }) => supervisor.stop()));
  }

  /** Ends programs that hold more memory than they may; they start again after a while. */
  async checkMemory(): Promise<void> {
    const found = await memoryOf([...this.#running.values()].map(({ pid }) => pid));
    for (const program of this.#running.values()) {
      program.memory = found.get(program.pid) ?? 0;
      if (program.memory <= program.limit) continue;
      program.detail = `It was ended: it held ${program.memory >> 20} MiB`;
      this.#options.logOf(program.name).error("plugin.memory", program.detail);
      try {
        Deno.kill(program.pid, "SIGKILL");
      } catch (error) {
        this.#options.log.warn("plugin.kill_failed", "A plugin could not be ended", { error });
      }
    }
  }

  async #apply({ links, programs }: PluginPlan): Promise<readonly ProgramState[]> {
    for (const { number, path } of links) await this.#link(number, path);
    const wanted = new Map(programs.map((one) => [one.name, one]));
    for (const [name, program] of this.#running) {
      if (wanted.get(name)?.codeHash === program.codeHash) continue;
      this.#running.delete(name);
      await program.supervisor.stop();
      await removeSocket(this.#places(program));
    }
    for (const name of this.#refused.keys()) {
      if (wanted.get(name)?.codeHash !== this.#refused.get(name)!.codeHash) {
        this.#refused.delete(name);
      }
    }
    for (const one of programs) {
      if (this.#running.has(one.name) || this.#refused.has(one.name)) continue;
      try {
        await this.#start(one);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        this.#refused.set(one.name, { codeHash: one.codeHash, detail });
        this.#options.logOf(one.name).error("plugin.refused", "The plugin is not started", {
          detail,
        });
      }
    }
    return programs.map(({ name }) => this.#stateOf(name));
  }

  async #link(number: number, path: string): Promise<void> {
    if (this.#links.get(number) === path) return;
    const folder = join(this.#options.home, "state", PLUGIND_FOLDER, "links");
    await Deno.mkdir(folder, { recursive: true });
    await linkTo(path, join(folder, String(number)));
    this.#links.set(number, path);
  }

  async #start({ name, codeHash }: Pick<Program, "name" | "codeHash">): Promise<void> {
    const places = this.#places({ name, codeHash });
    const { manifest, hash } = readCode(await readFolder(places.code));
    if (hash !== codeHash || manifest.Name !== name) {
      throw new Problem(409, "Its files are not those that were approved");
    }
    for (const folder of [places.data, places.cache, join(places.socket, "..")]) {
      await Deno.mkdir(folder, { recursive: true });
    }
    await removeSocket(places);
    const program: Program = {
      ...{ name, codeHash, pid: 0, memory: 0, detail: "" },
      limit: (manifest.MemoryMiB << 20) + BESIDE_HEAP,
      supervisor: this.#supervisor(name, manifest, places),
    };
    this.#running.set(name, program);
    program.supervisor.start();
  }

  #supervisor(name: string, manifest: Manifest, places: PluginPlaces): Supervisor {
    const log = this.#options.logOf(name);
    return new Supervisor({
      process: { name, runs: "always" },
      spawn: () => {
        try {
          Deno.removeSync(places.socket);
        } catch (error) {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
        const child = startPluginProgram({
          args: runArguments(manifest, places),
          folder: places.data,
          cache: places.cache,
          line: limited(MAX_LINES_A_SECOND, (text) => log.info("plugin.output", text)),
        });
        const program = this.#running.get(name);
        if (program !== undefined) program.pid = child.pid;
        return child;
      },
      log,
      now: Date.now,
      after: (milliseconds, action) => {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
      },
    });
  }

  #stateOf(name: string): ProgramState {
    const program = this.#running.get(name);
    if (program === undefined) {
      const detail = this.#refused.get(name)?.detail ?? "";
      return { name, state: "refused", since: 0, restarts: 0, memory: 0, detail };
    }
    const { state, since, restarts } = program.supervisor.status;
    const { memory, detail } = program;
    return { name, state: state === "done" ? "stopped" : state, since, restarts, memory, detail };
  }

  #places({ name, codeHash }: Pick<Program, "name" | "codeHash">): PluginPlaces {
    return pluginPlaces(this.#options.home, name, codeHash);
  }
}

async function removeSocket({ socket }: PluginPlaces): Promise<void> {
  try {
    await Deno.remove(socket);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || isFileError(error)) return;
    throw error;
  }
}

/** Passes on so many lines a second, and says how many it left out. */
function limited(most: number, take: (text: string) => void): (text: string) => void {
  let second = 0, count = 0;
  return (text) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (count > most) take(`${count - most} lines were left out`);
      second = now;
      count = 0;
    }
    if (++count <= most) take(text);
  };
}
