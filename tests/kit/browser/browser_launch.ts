import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright";

/** Where the browser of a whole run listens; unset where a test brings its own. */
const BROWSER_ADDRESS = "SLUICE_TEST_BROWSER";

/** Debian's Chromium without a window, quiet: it asks for nothing by itself. */
export const BROWSER = {
  executablePath: "/usr/bin/chromium-headless-shell",
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
};

const WHOLE = "/usr/bin/chromium";

/** The browser that all tests of this run share; null where each brings its own. */
export async function joinBrowser(): Promise<Browser | null> {
  const address = Deno.env.get(BROWSER_ADDRESS);
  return address === undefined ? null : await chromium.connect(address);
}

/**
 * A browser for one test. The whole one has what the shell lacks, such as notifications, and takes twice
 * the time.
 */
export function openBrowser(kind: "shell" | "whole"): Promise<Browser> {
  return chromium.launch(kind === "shell" ? BROWSER : { ...BROWSER, executablePath: WHOLE });
}

/** A browser for a whole run. */
export interface SharedBrowser {
  /** What its tests find in their environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a browser that many processes share. */
export async function shareBrowser(): Promise<SharedBrowser> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "-A",
      fileURLToPath(new URL("../programs/browser_server.ts", import.meta.url)),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  while (!output.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`No browser came: ${output || "it ended"}`);
    output += value;
  }
  return {
    env: { [BROWSER_ADDRESS]: output.trim() },
    async close() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}
