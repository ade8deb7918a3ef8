import type { Context } from "hono";
import * as z from "zod";
import { largeJson } from "../../system/core/config/large_json.ts";
import { invalid, Problem } from "../../system/core/errors/problem.ts";
import { inSlices } from "../../system/core/time/slices.ts";
import { problemAnswer } from "./answer.ts";
import { type Route, route } from "./route.ts";

/** Answers one request as if it had come by itself, on the connection of this one. */
export type Ask = (c: Context, request: Request) => Promise<Response>;

/** What the route of several reads needs. */
export interface BatchDeps {
  /** Absent where routes are described and never called. */
  readonly ask?: Ask | undefined;
  /** All routes of the app. */
  readonly routes: () => readonly Route[];
}

/** Reads in one request. */
const MAX_PATHS = 20;

/** Reads that are under way at once. */
const MAX_AT_ONCE = 4;
/** Bytes of all answers together, in MiB. */
const MAX_MIB = 4;

/** Headers by which a caller is known; each read is authorized by itself. */
const CREDENTIALS = ["authorization", "cookie", "x-jwt-otp", "host", "origin", "sec-fetch-site"];

/** The paths that are read. */
const BatchQuery = z.object({
  path: z.array(
    z.string().min(1).max(2000).regex(/^\/[\x21-\x7e]*$/, {
      error: "Write a path of this API, with its query",
    }),
  ).min(1, { error: "Name at least one path" }).max(MAX_PATHS, {
    error: `Name ${MAX_PATHS} paths at most`,
  }).meta({ examples: [["/network", "/groups"]] }),
});

/** The answer to one of the paths. */
const BatchAnswer = z.object({
  path: z.string(),
  status: z.number().int().meta({ examples: [200] }),
  /** Entity tag of the answer; null where it has none. */
  etag: z.string().nullable(),
  /** The answer, or the problem document of an error. */
  body: z.unknown(),
}).meta({ id: "BatchAnswer" });

/**
 * Several reads in one request, which is sent and compressed as one. It takes the reads whose answers are
 * compressed, since those hold no secret.
 */
export function batchRoutes({ ask, routes }: BatchDeps): Route[] {
  let readable: RegExp | undefined;
  return [
    route({
      method: "GET",
      path: "/batch",
      compresses: true,
      tag: "API",
      access: "auth",
      summary: "Several reads in one request",
      description:
        `Answers up to ${MAX_PATHS} GET requests, each as if it had been sent by itself, with the ` +
        "credentials of this one. Paths whose answers may hold secrets, streams and files cannot be " +
        "read in this way; they answer 400. Each entry has a status of its own: an error of one leaves " +
        `the others as they are. The answers have ${MAX_MIB} MiB at most together; what goes beyond ` +
        "has the status 413 and is to be read by itself.",
      examples: {
        response: [
          { path: "/changes/window", status: 200, etag: null, body: { window: null } },
          { path: "/groups", status: 200, etag: '"9f2c"', body: [] },
        ],
      },
      query: BatchQuery,
      repeats: ["path"],
      response: z.array(BatchAnswer),
      errors: [400],
    }, async ({ query, c }) => {
      readable ??= readablePaths(routes());
      const wanted = query.path.map((path, at) => {
        const url = URL.parse(path, c.req.url);
        if (url?.origin !== new URL(c.req.url).origin || !readable!.test(url.pathname)) {
          throw invalid(
            `/path/${at}`,
            "This path cannot be read together with others; read it by itself",
          );
        }
        return { path, url };
      });
      const headers = new Headers({ accept: "application/json" });
      for (const name of CREDENTIALS) {
        const value = c.req.header(name);
        if (value !== undefined) headers.set(name, value);
      }
      const budget = { bytes: MAX_MIB << 20 };
      const entries: Entry[] = [];
      const left = wanted.entries();
      const { signal } = c.req.raw;
      await Promise.all(Array.from({ length: MAX_AT_ONCE }, async () => {
        for (const [at, { path, url }] of left) {
          entries[at] = await answered(path, async () => {
            signal.throwIfAborted();
            return await ask!(c, new Request(url, { headers, signal }));
          }, budget);
        }
      }));
      return entries;
    }),
  ];
}

type Entry = z.output<typeof BatchAnswer>;

/** The entry of one read, also where it fails; what it reads is taken from the budget. */
async function answered(
  path: string,
  ask: () => Promise<Response>,
  budget: { bytes: number },
): Promise<Entry> {
  try {
    const answer = await ask();
    const text = await textWithin(answer, budget);
    if (text === null) {
      const detail = `The answers have more than ${MAX_MIB} MiB together; read this path by itself`;
      return await failed(path, new Problem(413, detail));
    }
    return {
      path,
      status: answer.status,
      etag: answer.headers.get("etag"),
      body: text === "" ? null : await inSlices(largeJson(text)),
    };
  } catch (error) {
    const detail = error instanceof SyntaxError
      ? "The answer of this path is not JSON; read it by itself"
      : "This path could not be read; read it by itself";
    return await failed(path, new Problem(error instanceof SyntaxError ? 502 : 500, detail));
  }
}

async function failed(path: string, problem: Problem): Promise<Entry> {
  const { status } = problem;
  return { path, status, etag: null, body: await problemAnswer(problem).json() };
}

/** The text of an answer; null where it is larger than what is left of the budget. */
async function textWithin(answer: Response, budget: { bytes: number }): Promise<string | null> {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    budget.bytes -= chunk.byteLength;
    if (budget.bytes < 0) {
      // Leaving the loop cancels the answer; others may be small enough.
      budget.bytes += size;
      return null;
    }
    texts.push(decoder.decode(chunk, { stream: true }));
  }
  return texts.join("") + decoder.decode();
}

/** Matches the paths of reads whose answers are compressed; never its own. */
function readablePaths(routes: readonly Route[]): RegExp {
  const paths = routes.map(({ description }) => description).filter((description) =>
    description.method === "GET" && description.compresses && description.path !== "/batch" &&
    description.mediaType === undefined
  ).map(({ path }) => path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+"));
  return new RegExp(`^(${paths.join("|")})$`);
}
