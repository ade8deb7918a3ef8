import { spawnTool } from "../tools/run.ts";
import type { Tool } from "../tools/tools.ts";

/** The tool to follow, and the callbacks. */
export interface FollowOptions {
  readonly tool: Tool;
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
  /** Called when the tool exited and was restarted: lines may have been lost in between. */
  readonly onRestart: () => void;
  /** Called when the tool cannot be started; it is retried. */
  readonly onError: (message: string) => void;
  /** Default: starts the tool; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

/** The restart delay doubles from the first value up to the second. */
const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 30_000;
/** Between SIGTERM and SIGKILL. */
const KILL_TIMEOUT_MS = 1000;
/** Characters of a line; a longer one is dropped. */
const MAX_LINE_LENGTH = 65_536;

/** Keeps a tool that prints a line for each event running until it is stopped. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #done: Promise<void>;
  #child: Deno.ChildProcess | null = null;
  #wake: (() => void) | null = null;
  #stopped = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** Stops the tool and waits until it has exited. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    this.#signal("SIGTERM");
    const killTimer = setTimeout(() => this.#signal("SIGKILL"), KILL_TIMEOUT_MS);
    await this.#done;
    clearTimeout(killTimer);
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#child?.kill(signal);
    } catch {
      // It has exited already.
    }
  }

  async #run(): Promise<void> {
    let pause = MIN_RESTART_DELAY_MS;
    for (let first = true; !this.#stopped; first = false) {
      const started = performance.now();
      try {
        this.#child = (this.#options.spawn ?? spawnTool)(this.#options.tool, {
          args: [...this.#options.args],
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        });
        if (!first) this.#options.onRestart();
        await this.#read(this.#child.stdout);
      } catch (error) {
        this.#options.onError(error instanceof Error ? error.message : String(error));
        // Its output is no longer read.
        this.#signal("SIGKILL");
      }
      await this.#child?.status;
      this.#child = null;
      if (this.#stopped) return;
      if (performance.now() - started > MAX_RESTART_DELAY_MS) pause = MIN_RESTART_DELAY_MS;
      await this.#pause(pause);
      pause = Math.min(pause * 2, MAX_RESTART_DELAY_MS);
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_LENGTH) rest = "";
      for (const line of lines) if (line !== "") this.#options.onLine(line);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
