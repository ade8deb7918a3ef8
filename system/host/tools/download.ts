import { InterfaceName } from "../../core/net/grammar.ts";
import { spawnTool } from "./run.ts";

/** What a download came to. */
export interface Download {
  readonly bytes: number;
  readonly seconds: number;
  /** "" where it ended well. */
  readonly error: string;
}

/** What is loaded, by which link, and how much of it for how long. */
export interface DownloadOptions {
  readonly url: string;
  readonly link: string;
  readonly seconds: number;
  readonly bytes: number;
  /** Seconds beyond those after which curl is killed, should it not end by itself; default 5. */
  readonly grace?: number;
  /** Starts it; a test may start another program. */
  readonly spawn?: typeof spawnTool;
}

/** Seconds that curl is given beyond its own limit. */
const GRACE = 5;

/** Loads from a web server through one link (curl binds to it) and keeps nothing of it. */
export async function download(options: DownloadOptions): Promise<Download> {
  const { url, seconds, bytes: most, grace = GRACE, spawn = spawnTool } = options;
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
  const words = new Response(child.stderr).text();
  const end = (signal: Deno.Signal): void => {
    try {
      child.kill(signal);
    } catch {
      // It has ended already.
    }
  };
  let hangs = false;
  const late = setTimeout(() => {
    hangs = true;
    end("SIGKILL");
  }, (seconds + grace) * 1000);
  let bytes = 0;
  let first: number | null = null;
  const started = performance.now();
  let full = false;
  for await (const chunk of child.stdout) {
    first ??= performance.now();
    bytes += chunk.length;
    if (bytes < most || full) continue;
    full = true;
    end("SIGTERM");
  }
  const taken = (performance.now() - (first ?? started)) / 1000;
  const status = await child.status;
  clearTimeout(late);
  // Whatever came within the time tells the speed.
  const ended = status.success || full || (status.code === 28 && bytes > 0);
  const said = (await words).trim().replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
  if (hangs) return { bytes, seconds: taken, error: "curl did not end and was stopped" };
  return { bytes, seconds: taken, error: ended ? "" : said || `curl ended with ${status.code}` };
}
