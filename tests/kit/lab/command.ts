import { HANGING } from "../pace.ts";

/** What a command left behind. */
export interface CommandResult {
  readonly ok: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end; a failing one is a result. */
export async function command(
  name: string,
  args: readonly string[],
  stdin?: string,
): Promise<CommandResult> {
  const child = new Deno.Command(name, {
    args: [...args],
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const output = await child.output();
  const decoder = new TextDecoder();
  return {
    ok: output.success,
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/** Runs a command that must succeed and answers its output; throws with its own words. */
export async function must(
  name: string,
  args: readonly string[],
  stdin?: string,
): Promise<string> {
  const result = await command(name, args, stdin);
  if (result.ok) return result.stdout;
  throw new Error(`${name} ${args.join(" ")}: ${result.stderr.trim() || `status ${result.code}`}`);
}

/** A process that runs beside a test, its output kept line by line. */
export class LabProcess {
  readonly #child: Deno.ChildProcess;
  readonly #done: Promise<unknown>;
  readonly #lines: string[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = new Deno.Command(name, {
      args: [...args],
      env: { ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#done = Promise.all([
      this.#read(this.#child.stdout),
      this.#read(this.#child.stderr),
      this.#child.status,
    ]).then(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Everything it has printed, on both outputs. */
  get output(): string {
    return this.#lines.join("\n");
  }

  /** Waits for a line that fits; throws when the process ends before, or when it never comes. */
  async line(pattern: RegExp, milliseconds = HANGING): Promise<string> {
    const find = (): string | undefined => this.#lines.find((line) => pattern.test(line));
    await this.until(() => find() !== undefined, milliseconds);
    const found = find();
    if (found !== undefined) return found;
    const why = this.#ended ? "until it ended" : "in time";
    throw new Error(`No line ${pattern} ${why}: ${this.output}`);
  }

  /** How many lines that fit it has printed. */
  count(pattern: RegExp): number {
    return this.#lines.filter((line) => pattern.test(line)).length;
  }

  /** Looks whenever it printed something, until it holds, it has ended, or never comes to hold. */
  async until(holds: () => boolean, milliseconds = HANGING): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, milliseconds);
    while (!late && !this.#ended && !holds()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    clearTimeout(timer);
  }

  /** Ends it: asked first, killed when it does not end. Answers its exit status. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    this.kill(signal);
    const timer = setTimeout(() => this.kill("SIGKILL"), HANGING / 2);
    const status = await this.#child.status;
    await this.#done;
    clearTimeout(timer);
    return status.code;
  }

  kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended already.
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      this.#lines.push(...lines);
      this.#wake();
    }
    if (rest !== "") this.#lines.push(rest);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
