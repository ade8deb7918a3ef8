import { Problem } from "../../core/errors/problem.ts";
import { type Tool, TOOL_PACKAGES, toolPaths } from "./tools.ts";

/** How a tool is run. */
export interface RunOptions {
  readonly args: readonly string[];
  /** Text for its standard input; default none. */
  readonly stdin?: string;
  /** Seconds after which it is ended; default 10. */
  readonly seconds?: number;
  /** Most bytes read from each of its outputs before it is ended; default 16 MiB. */
  readonly maxOutput?: number;
  /** Starts it; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

/** What a tool left behind. */
export interface RunResult {
  readonly ok: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Seconds between asking a tool to end and killing it. */
const GRACE = 1;
/** Characters of a tool's complaint that are passed on. */
const MAX_WORDS = 2000;

/** Where each tool was found; a start at another place is tried only when this one is gone. */
const found = new Map<Tool, string>();

/**
 * Starts a tool by its absolute path, with a clean environment and never through a shell. Throws
 * Problem 503 that names the Debian package when the tool is missing.
 */
export function spawnTool(tool: Tool, options: Deno.CommandOptions): Deno.ChildProcess {
  const known = found.get(tool);
  const paths = known === undefined ? toolPaths(tool) : [known, ...toolPaths(tool)];
  for (const path of paths) {
    try {
      const child = new Deno.Command(path, { ...options, clearEnv: true, env: { LC_ALL: "C" } })
        .spawn();
      found.set(tool, path);
      return child;
    } catch (error) {
      const absent = error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotCapable;
      if (!absent) throw new Problem(502, `${tool} could not be started`, { cause: error });
    }
  }
  throw new Problem(
    503,
    `The tool ${tool} is missing. The Debian package ${TOOL_PACKAGES[tool]} brings it.`,
  );
}

/**
 * Runs a tool to its end. Throws Problem 502 when it takes too long or says too much, 503 when it is
 * missing; a tool that fails is a result. What a tool left running with its outputs is not waited for.
 */
export async function run(tool: Tool, options: RunOptions): Promise<RunResult> {
  const seconds = options.seconds ?? 10;
  const maxOutput = options.maxOutput ?? 16 * 1024 * 1024;
  const child = (options.spawn ?? spawnTool)(tool, {
    args: [...options.args],
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
  let stopped: "late" | "long" | null = null;
  let grace: ReturnType<typeof setTimeout> | undefined;
  const over = new AbortController();
  const stop = (why: "late" | "long"): void => {
    if (stopped !== null) return;
    stopped = why;
    kill(child, "SIGTERM");
    grace = setTimeout(() => {
      kill(child, "SIGKILL");
      over.abort();
    }, GRACE * 1000);
  };
  const limit = setTimeout(() => stop("late"), seconds * 1000);
  try {
    const [status, stdout, stderr] = await Promise.all([
      child.status,
      readText(child.stdout, maxOutput, { signal: over.signal, tooLong: () => stop("long") }),
      readText(child.stderr, maxOutput, { signal: over.signal, tooLong: () => stop("long") }),
      options.stdin === undefined ? null : writeText(child.stdin, options.stdin, over.signal),
    ]);
    if (stopped === "late") {
      throw new Problem(502, `${tool} did not end within ${seconds} seconds and was stopped`);
    }
    if (stopped === "long") {
      throw new Problem(502, `${tool} said more than ${maxOutput} bytes and was stopped`);
    }
    return { ok: status.success, code: status.code, stdout, stderr };
  } finally {
    clearTimeout(limit);
    clearTimeout(grace);
  }
}

/** Runs a tool and answers its output; throws Problem 502 with the tool's own words when it fails. */
export async function runOrFail(tool: Tool, options: RunOptions): Promise<string> {
  const result = await run(tool, options);
  if (!result.ok) throw new Problem(502, `${tool}: ${toolWords(result)}`);
  return result.stdout;
}

/** A failed tool's own words, trimmed to a length that an answer can carry. */
export function toolWords(result: RunResult): string {
  const words = result.stderr.trim() || result.stdout.trim();
  return words === "" ? `ended with status ${result.code}` : words.slice(0, MAX_WORDS);
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // It ended by itself between the decision and the signal.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function readText(
  stream: ReadableStream<Uint8Array>,
  max: number,
  { signal, tooLong }: { readonly signal: AbortSignal; readonly tooLong: () => void },
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size <= max) text += decoder.decode(value, { stream: true });
    else tooLong();
  }
}

async function writeText(
  stream: WritableStream<Uint8Array>,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const writer = stream.getWriter();
  const write = async (): Promise<void> => {
    try {
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
    } catch {
      // The tool ended without reading it all; its status and words tell why.
    }
  };
  // A write that is under way cannot be taken back.
  const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.race([write(), over]);
}
