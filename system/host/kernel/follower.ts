import { spawnTool } from "../tools/run.ts";
import type { Tool } from "../tools/tools.ts";

/** What is followed, and who hears of it. */
export interface FollowOptions {
  readonly tool: Tool;
  readonly args: readonly string[];
  readonly line: (line: string) => void;
  /** Called when the tool ended and was started anew: lines may have been lost between. */
  readonly lost: () => void;
  /** Called with a sentence when the tool cannot be started; it is tried again. */
  readonly complain: (message: string) => void;
  /** Starts it; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

/** Milliseconds before a tool that ended is started again, doubled up to the second value. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
/** Milliseconds that a tool is given to end before it is killed. */
const GRACE = 1000;
/** Characters of a line from which on it is none: a tool that says so much without an end is broken. */
const LONGEST_LINE = 65_536;

/** Keeps a tool running that prints a line for each thing that happens, until it is stopped. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #done: Promise<void>;
  #child: Deno.ChildProcess | null = null;
  #wake: (() => void) | null = null;
  #stopped = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#done = this.#keep();
  }

  /** Ends the tool and waits until it is gone. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    this.#signal("SIGTERM");
    const late = setTimeout(() => this.#signal("SIGKILL"), GRACE);
    await this.#done;
    clearTimeout(late);
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#child?.kill(signal);
    } catch {
      // It has ended already.
    }
  }

  async #keep(): Promise<void> {
    let pause = FIRST_PAUSE;
    for (let first = true; !this.#stopped; first = false) {
      const started = performance.now();
      try {
        this.#child = (this.#options.spawn ?? spawnTool)(this.#options.tool, {
          args: [...this.#options.args],
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        });
        if (!first) this.#options.lost();
        await this.#read(this.#child.stdout);
      } catch (error) {
        this.#options.complain(error instanceof Error ? error.message : String(error));
        // Nobody reads it any more.
        this.#signal("SIGKILL");
      }
      await this.#child?.status;
      this.#child = null;
      if (this.#stopped) return;
      if (performance.now() - started > LONGEST_PAUSE) pause = FIRST_PAUSE;
      await this.#pause(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE) rest = "";
      for (const line of lines) if (line !== "") this.#options.line(line);
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
