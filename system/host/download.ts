import { InterfaceName } from "../core/grammar.ts";
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
}

/** Loads from a web server through one link (curl binds to it) and keeps nothing of it. */
export async function download(options: DownloadOptions): Promise<Download> {
  const { url, seconds, bytes: most } = options;
  const link = InterfaceName.parse(options.link);
  const child = spawnTool("curl", {
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
  let bytes = 0;
  let first: number | null = null;
  const started = performance.now();
  let full = false;
  for await (const chunk of child.stdout) {
    first ??= performance.now();
    bytes += chunk.length;
    if (bytes < most || full) continue;
    full = true;
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
  }
  const taken = (performance.now() - (first ?? started)) / 1000;
  const status = await child.status;
  // Whatever came within the time tells the speed.
  const ended = status.success || full || (status.code === 28 && bytes > 0);
  const said = (await words).trim().replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
  return { bytes, seconds: taken, error: ended ? "" : said || `curl ended with ${status.code}` };
}
