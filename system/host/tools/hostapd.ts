import { Problem } from "../../core/errors/problem.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import { endProcesses, ownProcesses } from "./own_processes.ts";
import { run, spawnTool, toolMessage } from "./run.ts";

/** Seconds for a radio to be set up; a driver that loads firmware takes some. */
const START_TIMEOUT_S = 20;
/** Milliseconds for hostapd to read a file. */
const CHECK_TIMEOUT_MS = 3000;
/** Milliseconds between two looks for a process that is to end. */
const LOOK_INTERVAL_MS = 50;
const STOP_TIMEOUT_MS = 3000;

/** Version of hostapd, `2.10`. Throws Problem 503 where it is not installed. */
export async function hostapdVersion(): Promise<
  { readonly major: number; readonly minor: number }
> {
  const { stdout, stderr } = await run("hostapd", { args: ["-v"], maxOutput: 65_536 });
  const [, major, minor] = /hostapd v(\d+)\.(\d+)/.exec(stdout + stderr) ?? [];
  return { major: Number(major ?? 2), minor: Number(minor ?? 10) };
}

/** The hostapd that we started with a configuration file; null when none runs. */
export async function hostapdRunning(file: string): Promise<number | null> {
  const [pid] = await ownProcesses("hostapd", (args) => args.endsWith(` ${file}`));
  return pid ?? null;
}

/**
 * Starts hostapd with a configuration file; it detaches itself once the radio is set up. Throws Problem
 * 502 with its words, 503 where it is not installed.
 */
export async function startHostapd(file: string): Promise<void> {
  const result = await run("hostapd", {
    args: ["-B", file],
    seconds: START_TIMEOUT_S,
    maxOutput: 65_536,
  });
  if (!result.ok) throw new Problem(502, hostapdText(result.stdout) || toolMessage(result));
}

/** Ends the hostapd of a configuration file and waits until its radio is free. */
export async function stopHostapd(file: string): Promise<void> {
  const pid = await hostapdRunning(file);
  if (pid === null) return;
  await endProcesses([pid], "TERM");
  for (let waited = 0; waited < STOP_TIMEOUT_MS; waited += LOOK_INTERVAL_MS) {
    if (await hostapdRunning(file) === null) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
  await endProcesses([pid], "KILL");
}

/**
 * Lets hostapd read a configuration file that names no driver and no control socket, so that no radio
 * is touched. Answers its complaints; null when it has none. Throws Problem 503 where it is not
 * installed.
 */
export async function checkHostapdFile(file: string): Promise<string | null> {
  const child = spawnTool("hostapd", {
    args: [file],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  const end = (): void => signalChild(child, "SIGKILL");
  const timer = setTimeout(end, CHECK_TIMEOUT_MS);
  let text = "", accepted = false;
  try {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      // It has read the file and turns to the radio.
      if (/interface state UNINITIALIZED->/.test(text)) accepted = true;
      if (accepted || text.length > 65_536) end();
    }
    await child.status;
  } finally {
    clearTimeout(timer);
  }
  return accepted ? null : hostapdText(text) || "hostapd does not take the configuration";
}

/** What hostapd says of a failure, without the lines that only name the file or count. */
function hostapdText(output: string): string {
  return output.split("\n").map((line) => line.trim())
    .filter((line) => line !== "" && !NOISE.some((pattern) => pattern.test(line)))
    .join("; ").slice(0, 1000);
}

const NOISE = [
  /^\d+ errors found in configuration file/,
  /^Failed to (set up interface with|initialize interface)/,
  /interface state [A-Z_]+->/,
  /AP-DISABLED|CTRL-EVENT-TERMINATING|wasn't started|^nl80211: deinit/,
  /^(Configuration file|Using interface)/,
];
