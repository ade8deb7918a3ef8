import { Problem } from "../../core/errors/problem.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import { type Tool, TOOL_PACKAGES, toolPaths } from "./tools.ts";

/** How a tool is run. */
export interface RunOptions {
  readonly args: readonly string[];
  /** Its standard input; default none. */
  readonly stdin?: string;
  /** Timeout; default 10. */
  readonly seconds?: number;
  /** Bytes read from each of its outputs before it is stopped; default 16 MiB. */
  readonly maxOutput?: number;
  /** Default: starts the tool; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

/** How a tool exited, and its outputs. */
export interface RunResult {
  readonly ok: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Between SIGTERM and SIGKILL. */
const KILL_TIMEOUT_SECONDS = 1;
/** Characters of a tool's error that are passed on. */
const MAX_MESSAGE_LENGTH = 2000;

/** The path of each tool as last found; other paths are tried only when it is gone. */
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
 * Runs a tool until it exits. Throws Problem 502 when it takes too long or writes too much, 503 when it
 * is missing; a failure of the tool is a result. Processes that it left running are not waited for.
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
  let killTimer: ReturnType<typeof setTimeout> | undefined;
  const over = new AbortController();
  const stop = (why: "late" | "long"): void => {
    if (stopped !== null) return;
    stopped = why;
    signalChild(child, "SIGTERM");
    killTimer = setTimeout(() => {
      signalChild(child, "SIGKILL");
      over.abort();
    }, KILL_TIMEOUT_SECONDS * 1000);
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
      throw new Problem(502, `${tool} wrote more than ${maxOutput} bytes and was stopped`);
    }
    return { ok: status.success, code: status.code, stdout, stderr };
  } finally {
    clearTimeout(limit);
    clearTimeout(killTimer);
  }
}

/** Runs a tool and returns its output; throws Problem 502 with the tool's error when it fails. */
export async function runOrFail(tool: Tool, options: RunOptions): Promise<string> {
  const result = await run(tool, options);
  if (!result.ok) throw new Problem(502, `${tool}: ${toolMessage(result)}`);
  return result.stdout;
}

/** A failed tool's error output, trimmed for a response. */
export function toolMessage(result: RunResult): string {
  const message = result.stderr.trim() || result.stdout.trim();
  return message === "" ? `ended with status ${result.code}` : message.slice(0, MAX_MESSAGE_LENGTH);
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
      // The tool exited without reading it all; its status and output say why.
    }
  };
  // A pending write cannot be aborted.
  const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.race([write(), over]);
}
