import { InterfaceName } from "../../core/net/grammar.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import { spawnTool } from "./run.ts";

/** Seconds that a page may take. */
const TIMEOUT_SECONDS = 8;
/** Bytes that are read; a server may send for ever. */
const MAX_BYTES = 65_536;

/**
 * The raw answer of a web page through one interface: headers, then the body, cut where it is long. It
 * follows no redirection. "" where nothing comes. `spawn`: a test may start another program.
 */
export async function requestPage(
  link: string,
  url: string,
  spawn: typeof spawnTool = spawnTool,
): Promise<string> {
  const child = spawn("curl", {
    args: [
      ...["--silent", "--include", "--http1.1", "--globoff", "--proto", "=http,https"],
      ...["--noproxy", "*", "--interface", `if!${InterfaceName.parse(link)}`],
      ...["--max-time", String(TIMEOUT_SECONDS), "--user-agent", "Sluice", "--", url],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  const end = (): void => signalChild(child, "SIGKILL");
  const late = setTimeout(end, (TIMEOUT_SECONDS + 2) * 1000);
  const decoder = new TextDecoder("latin1");
  let text = "";
  for await (const chunk of child.stdout) {
    if (text.length >= MAX_BYTES) continue;
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_BYTES) end();
  }
  await child.status;
  clearTimeout(late);
  return text.slice(0, MAX_BYTES);
}
