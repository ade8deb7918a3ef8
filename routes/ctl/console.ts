import { join, resolve } from "node:path";
import { sockets } from "../../system/processes.ts";

/** Commands of the console as API requests. */
const COMMANDS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  "network status": ["GET", "/network"],
  "network repair": ["PUT", "/network/repair"],
  "network takeover": ["PUT", "/network/takeover?force=true"],
  "network release": ["PUT", "/network/release"],
  "network apply": ["PUT", "/network/apply"],
  "changes": ["GET", "/changes"],
};
const ON_CHANGE = ["undo", "confirm"];

/** Output, error and exit status. */
export interface ConsoleResult {
  readonly status: number;
  readonly lines: readonly string[];
  readonly error?: string;
}

/** Where to find the api. */
export interface ConsoleTarget {
  /** The router's home. */
  readonly home: string;
  /** Removes our tables from the kernel without an api. Returns what was done. */
  readonly releaseDirectly: (home: string) => Promise<readonly string[]>;
}

/** The API request of a command line; null for an unknown command. */
export function consoleRequest(words: readonly string[]): readonly [string, string] | null {
  const known = COMMANDS[words.join(" ")];
  if (known !== undefined) return known;
  const [first, verb, id, ...rest] = words;
  if (first !== "changes" || id === undefined || rest.length > 0) return null;
  if (verb === undefined || !ON_CHANGE.includes(verb)) return null;
  return ["PUT", `/changes/${encodeURIComponent(id)}/${verb}`];
}

/** The home that the environment names, as the program resolves it. */
export function consoleHome(root: string, configured: string | undefined): string {
  return resolve(root, configured?.trim() || join(root, "var"));
}

/** Calls the api through the console socket, which only root and its group may open; `release` works without it. */
export async function callConsole(
  request: readonly [method: string, path: string],
  target: ConsoleTarget,
): Promise<ConsoleResult> {
  const [method, path] = request;
  const socket = sockets(target.home).console;
  let response: Response;
  try {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
    const options = { method, client };
    response = await fetch(`http://127.0.0.1${path}`, options);
    const body: unknown = JSON.parse(await response.text() || "null");
    if (response.ok) return { status: 0, lines: text(body) };
    const detail = (body as { readonly detail?: string } | null)?.detail;
    return { status: 1, lines: [], error: detail ?? `The api answered ${response.status}` };
  } catch (error) {
    if (path === "/network/release") return await releaseAlone(target);
    return {
      status: 2,
      lines: [],
      error: `No answer from ${socket}. Does Sluice run, and are you root? ` +
        (error as Error).message,
    };
  }
}

async function releaseAlone(target: ConsoleTarget): Promise<ConsoleResult> {
  try {
    const done = await target.releaseDirectly(target.home);
    return { status: 0, lines: ["No api runs: done without it.", ...done] };
  } catch (error) {
    return { status: 1, lines: [], error: (error as Error).message };
  }
}

interface Status {
  readonly state: string;
  readonly detail: string | null;
  readonly drift: readonly { what: string; expected: string | null; found: string | null }[];
  readonly more: number;
  readonly foreign: readonly Readonly<Record<string, unknown>>[];
}

interface Changes {
  readonly items: readonly Readonly<Record<"id" | "at" | "by" | "state" | "summary", unknown>>[];
}

function text(body: unknown): readonly string[] {
  if (body === null || typeof body !== "object") return ["Done."];
  if ("items" in body) {
    return (body as Changes).items.map(({ id, at, by, state, summary }) =>
      `${id}  ${new Date(Number(at)).toISOString()}  ${by}  ${state}  ${summary}`
    );
  }
  const { state, detail, drift, more, foreign } = body as Status;
  return [
    state === "model"
      ? "Nothing is applied: Sluice works on a model of the network."
      : detail === null
      ? `The network is ${state}.`
      : `The network is ${state}: ${detail}`,
    ...drift.map(({ what, expected, found }) =>
      `differs: ${what}: expected ${expected ?? "nothing"}, found ${found ?? "nothing"}`
    ),
    ...(more > 0 ? [`and ${more} more differences`] : []),
    ...foreign.map((one) =>
      `others: ${one.family} ${one.table} ${one.chain}: ${one.type} at ${one.hook}, ` +
      `${one.rules} rules, policy ${one.policy}`
    ),
  ];
}
