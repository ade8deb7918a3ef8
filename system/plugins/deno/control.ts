import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { MAX_PLUGINS, PluginName } from "../schema.ts";
import { PLUGIND_FOLDER } from "./run_arguments.ts";

/** Path below `state/` of the socket on which plugind learns what to run. */
export const PLUGIND_SOCKET = `${PLUGIND_FOLDER}/control.sock`;

/** What plugind is to do: links to sockets for the api, and programs to run. */
export const PluginPlan = z.strictObject({
  /** Sockets by the number of the link that leads to each. */
  links: z.array(z.strictObject({
    number: z.int().min(0).max(MAX_PLUGINS - 1),
    path: z.string().max(255).regex(/^(\/[^/\0]+)+$/),
  })).max(MAX_PLUGINS),
  programs: z.array(z.strictObject({
    name: PluginName,
    codeHash: z.string().regex(/^[0-9a-f]{64}$/),
  })).max(MAX_PLUGINS),
});
export type PluginPlan = Readonly<z.output<typeof PluginPlan>>;

/** How the program of a plugin runs. */
export const ProgramState = z.strictObject({
  name: PluginName,
  /** `waiting`: it ended by itself and starts again after a while; `refused`: it cannot be started. */
  state: z.enum(["running", "waiting", "stopped", "refused"]),
  /** Unix milliseconds since when. */
  since: z.number(),
  /** How often it was started again since it last ran for a minute. */
  restarts: z.int(),
  /** Bytes that it holds in memory; 0 where that is not known. */
  memory: z.number(),
  /** Why it was refused, or ended last; "" for nothing. */
  detail: z.string(),
});
export type ProgramState = Readonly<z.output<typeof ProgramState>>;

/** A folder of the last fetched files below plugind's `incoming/`. */
const Fetched = z.strictObject({ folder: z.string().regex(/^[0-9a-f]{32}$/) });

/** The requests of plugind's socket. */
export interface PluginControl {
  /** Does what a plan says, and returns how its programs run. */
  apply(plan: PluginPlan): Promise<readonly ProgramState[]>;
  restart(name: string): Promise<void>;
  /** Fetches a git repository and returns its folder below `incoming/`. Throws Problem 502. */
  fetch(url: string): Promise<string>;
}

const MAX_BODY = 256 << 10;

/** Serves plugind's socket. Access to its file is the only authorization. */
export async function answerPluginControl(
  control: PluginControl,
  request: Request,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  try {
    if (request.method !== "PUT") throw new Problem(405, "Use PUT");
    const text = await request.text();
    if (text.length > MAX_BODY) throw new Problem(413, "The plan is too large");
    const body: unknown = JSON.parse(text);
    switch (pathname) {
      case "/plan":
        return Response.json(await control.apply(PluginPlan.parse(body)));
      case "/restart":
        await control.restart(PluginName.parse(body));
        return new Response(null, { headers: { "content-length": "0" } });
      case "/fetch":
        return Response.json({ folder: await control.fetch(z.string().max(512).parse(body)) });
      default:
        throw new Problem(404, "There is nothing at this path");
    }
  } catch (error) {
    const problem = error instanceof Problem
      ? error
      : new Problem(400, error instanceof Error ? error.message : String(error));
    const { status, message: detail } = problem;
    return Response.json({ title: detail, status, detail }, { status });
  }
}

/** The api's client of plugind. Calls throw Problem 503 while it does not run. */
export function pluginControlClient(path: string): PluginControl {
  const call = async (where: string, body: unknown, timeoutMs: number): Promise<string> => {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    const init: RequestInit & { readonly client: Deno.HttpClient } = {
      client,
      method: "PUT",
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    };
    let response: Response;
    try {
      response = await fetch(`http://127.0.0.1${where}`, init);
    } catch (error) {
      throw new Problem(503, "The process that runs plugins does not respond", { cause: error });
    }
    const text = await response.text();
    if (response.ok) return text;
    throw new Problem(response.status, String(JSON.parse(text).detail));
  };
  return {
    apply: async (plan) =>
      ProgramState.array().parse(JSON.parse(await call("/plan", plan, 10_000))),
    restart: async (name) => void await call("/restart", name, 10_000),
    fetch: async (url) => Fetched.parse(JSON.parse(await call("/fetch", url, 130_000))).folder,
  };
}
