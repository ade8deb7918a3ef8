import { Problem } from "../../core/errors/problem.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import { endProcesses, ownProcesses } from "./own_processes.ts";
import { run, toolMessage } from "./run.ts";

/** Seconds for the driver to be set up. */
const START_TIMEOUT_S = 20;
/** Milliseconds between two looks for a process that is to end. */
const LOOK_INTERVAL_MS = 50;
const STOP_TIMEOUT_MS = 3000;

/** The wpa_supplicant that we started with a file; null when none runs. */
export async function supplicantRunning(file: string): Promise<number | null> {
  const [pid] = await ownProcesses("wpa_supplicant", (args) => args.endsWith(` -c ${file}`));
  return pid ?? null;
}

/**
 * Starts wpa_supplicant on an interface; it detaches itself. Throws Problem 502 with its words, 503 where
 * it is not installed.
 */
export async function startSupplicant(link: string, file: string): Promise<void> {
  const args = ["-B", "-i", InterfaceName.parse(link), "-D", "nl80211", "-c", file];
  const result = await run("wpa_supplicant", { args, seconds: START_TIMEOUT_S, maxOutput: 65_536 });
  if (!result.ok) {
    throw new Problem(502, `wpa_supplicant: ${text(result.stdout) || toolMessage(result)}`);
  }
}

/** Ends the wpa_supplicant of a file and waits until its interface is free. */
export async function stopSupplicant(file: string): Promise<void> {
  const pid = await supplicantRunning(file);
  if (pid === null) return;
  await endProcesses([pid], "TERM");
  for (let waited = 0; waited < STOP_TIMEOUT_MS; waited += LOOK_INTERVAL_MS) {
    if (await supplicantRunning(file) === null) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
  await endProcesses([pid], "KILL");
}

/** What it says of a failure; a line with a setting may quote a secret. */
function text(output: string): string {
  return output.split("\n").map((line) => line.trim())
    .filter((line) =>
      line !== "" && !/^(Successfully initialized|Line \d+)|psk|password/i.test(line)
    )
    .join("; ").slice(0, 300);
}
