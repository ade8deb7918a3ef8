import { InterfaceName } from "../../core/net/grammar.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import { spawnTool } from "./run.ts";

/** The result of a download. */
export interface Download {
  readonly bytes: number;
  readonly seconds: number;
  /** "" for none. */
  readonly error: string;
}

/** What to load, by which interface, and its limits. */
export interface DownloadOptions {
  readonly url: string;
  readonly link: string;
  readonly seconds: number;
  readonly bytes: number;
  /** Seconds beyond those until curl is killed; default 5. */
  readonly killTimeoutSeconds?: number;
  /** Default: starts the tool; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

const KILL_TIMEOUT_SECONDS = 5;

/** Downloads from a web server through one interface (curl binds to it) and discards the data. */
export async function download(options: DownloadOptions): Promise<Download> {
  const {
    url,
    seconds,
    bytes: maxBytes,
    killTimeoutSeconds = KILL_TIMEOUT_SECONDS,
    spawn = spawnTool,
  } = options;
  const link = InterfaceName.parse(options.link);
  const child = spawn("curl", {
    args: [
      ...["--silent", "--show-error", "--fail", "--location", "--max-redirs", "3"],
      ...["--proto", "=http,https", "--proto-redir", "=http,https", "--noproxy", "*"],
      ...["--interface", `if!${link}`, "--max-time", String(seconds), "--connect-timeout", "10"],
      ...["--", url],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const errorOutput = new Response(child.stderr).text();
  const end = (signal: Deno.Signal): void => signalChild(child, signal);
  let hangs = false;
  const late = setTimeout(() => {
    hangs = true;
    end("SIGKILL");
  }, (seconds + killTimeoutSeconds) * 1000);
  let bytes = 0;
  let first: number | null = null;
  const started = performance.now();
  let full = false;
  for await (const chunk of child.stdout) {
    first ??= performance.now();
    bytes += chunk.length;
    if (bytes < maxBytes || full) continue;
    full = true;
    end("SIGTERM");
  }
  const taken = (performance.now() - (first ?? started)) / 1000;
  const status = await child.status;
  clearTimeout(late);
  // A timeout is fine: what came within it gives the speed.
  const ended = status.success || full || (status.code === 28 && bytes > 0);
  const message = (await errorOutput).trim().replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
  if (hangs) return { bytes, seconds: taken, error: "curl did not end and was stopped" };
  return { bytes, seconds: taken, error: ended ? "" : message || `curl ended with ${status.code}` };
}
