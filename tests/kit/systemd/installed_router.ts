import { PROCESSES } from "../../../system/processes.ts";
import { eventually } from "../lab/bed.ts";
import { command, must } from "../lab/command.ts";
import { INSTALLED } from "./installed_program.ts";

/** Password of `admin` in the settings of every installed router. */
const INSTALLED_PASSWORD = "systemd-password";
/** Processes with a systemd unit. */
export const UNITS: readonly string[] = PROCESSES.filter(({ unit }) => unit !== null)
  .map(({ name }) => name);

/** A variable that is set only in machines that may be installed on. */
export const MACHINE = "SLUICE_TEST_MACHINE";

const MANUAL = new URL("../../../docs/operating.md", import.meta.url);
const SETTINGS = "/etc/default/sluice";
/** Commands that need Internet access; their results are provided. */
const OUTSIDE = /^(?:git|deno|apt-get) /;

/** Lines of the manual's first example below a heading. */
export async function manual(heading: string): Promise<readonly string[]> {
  const text = await Deno.readTextFile(MANUAL);
  const below = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const example = /```sh\n([\s\S]*?)```/.exec(below)?.[1];
  if (example === undefined) throw new Error(`The manual has no example below ${heading}`);
  return example.trim().split("\n");
}

/** Runs the manual's commands line by line; returns their output. Throws when one fails. */
export async function follow(lines: readonly string[]): Promise<string> {
  if (Deno.env.get(MACHINE) !== "1") throw new Error("This is no machine to try the manual on");
  let output = "";
  for (const line of lines.filter((line) => !OUTSIDE.test(line))) {
    const script = `cd ${INSTALLED} && ${line}`;
    const { ok, stdout, stderr } = await command("bash", ["-c", script]);
    output += stdout + stderr;
    if (!ok) throw new Error(`${line}: ${stderr}${stdout}`);
  }
  return output;
}

/** Installs by the manual and starts everything; returns the output. */
export async function install(): Promise<string> {
  if (Deno.env.get(MACHINE) !== "1") throw new Error("This is no machine to install on");
  await Deno.writeTextFile(SETTINGS, `SLUICE_ADMIN_PASSWORD=${INSTALLED_PASSWORD}\n`, {
    mode: 0o600,
  });
  return await follow(await manual("Installing on a router"));
}

/**
 * Steps that build on one another: the first that fails is the last, and shows the machine's journal,
 * which is lost with the machine.
 */
export function stepsOf(
  t: Deno.TestContext,
): (name: string, work: () => Promise<void>) => Promise<void> {
  return async (name, work) => {
    if (await t.step(name, work)) return;
    const { stdout } = await command("journalctl", [
      ...["-n", "150", "--no-pager", "-o", "short-monotonic"],
    ]);
    throw new Error(
      `"${name}" failed, on which the rest builds. The journal's last lines:\n${stdout}`,
    );
  };
}

/** The value of a unit's property. */
export async function property(unit: string, name: string): Promise<string> {
  return (await must("systemctl", ["show", "--value", `--property=${name}`, unit])).trim();
}

/** The main PID of a unit; 0 while it has none. */
export async function pidOf(unit: string): Promise<number> {
  return Number(await property(`sluice-${unit}.service`, "MainPID"));
}

/** Main PIDs of all units. */
export async function pids(): Promise<Readonly<Record<string, number>>> {
  const found = UNITS.map(async (unit) => [unit, await pidOf(unit)] as const);
  return Object.fromEntries(await Promise.all(found));
}

/** A response of the API. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests read answers of every shape
  readonly json: any;
}

/** A request to the API on this machine, as its admin. */
export async function api(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Basic ${btoa(`admin:${INSTALLED_PASSWORD}`)}` };
  const answer = await fetch(`http://127.0.0.1${path}`, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get("content-type") ?? "");
  return {
    status: answer.status,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

/** A write that must succeed. */
export async function write(method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await api(method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
}

/** Waits until the API responds and, where given, the network has this state. */
export async function apiReady(state: "applied" | "released" | null = null): Promise<void> {
  await eventually("the API answers", async () => {
    const answer = await api("GET", "/network").catch(() => null);
    return answer?.status === 200 && (state === null || answer.json.state === state);
  });
}
