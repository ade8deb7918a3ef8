import type { Context } from "hono";
import type * as z from "zod";
import type { Preview } from "../../system/changes/schema.ts";
import type { Config } from "../../system/config.ts";
import type {
  Caller,
  ChangeEngine,
  ChangeOptions,
  Command,
  Outcome,
} from "../../system/core/engine/change.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import type { Sent } from "./route.ts";
import { answerOf, empty, largeJson } from "./answer.ts";

/** Seconds that a confirm window may last. */
const WINDOW = { least: 10, most: 600 };

/**
 * How the headers and the query of a write want it done. `alsoWrites`: documents beside the first that
 * it may change; a caller who read them as well lists their tags in `If-Match`. Throws Problem 400.
 */
export function changeOptions(
  c: Context,
  caller: Caller,
  document?: string,
  alsoWrites: readonly string[] = [],
): ChangeOptions {
  const within = confirmWithin(c);
  const match = c.req.header("if-match");
  return {
    caller,
    signal: c.req.raw.signal,
    ...(within === undefined ? {} : { confirmWithin: within }),
    ...(flag(c, "force") ? { force: true } : {}),
    ...(match === undefined || document === undefined ? {} : {
      precondition: (etagOf) => {
        requireMatch(match, etagOf(document));
        if (!match.includes(",")) return;
        for (const other of alsoWrites) requireMatch(match, etagOf(other));
      },
    }),
  };
}

/** Throws Problem 412 unless one of the listed entity tags is the current one (RFC 9110 13.1.1). */
function requireMatch(header: string, current: string): void {
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.includes("*") || tags.includes(current)) return;
  throw new Problem(
    412,
    "This was changed by someone else meanwhile; read it again and decide anew",
    {
      headers: { etag: current },
    },
  );
}

/**
 * True for `?name=true`, `?name=1` and a bare `?name`, the name in any case, so that a slip does not
 * turn a preview into a change. Throws Problem 400 for anything but one boolean.
 */
export function flag(c: Context, name: string): boolean {
  const values = Object.entries(c.req.queries())
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .flatMap(([, values]) => values);
  if (values.length > 1) {
    throw new Problem(400, `The query parameter ${name} stands more than once`);
  }
  const value = values[0];
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "" || value === "true" || value === "1") return true;
  throw new Problem(400, `The query parameter ${name} is true or false`);
}

/** Refuses to act at once where the request wants a preview or a window. Throws Problem 400. */
export function refuseOptions(c: Context): void {
  if (!flag(c, "dryRun") && confirmWithin(c) === undefined) return;
  throw new Problem(
    400,
    "This takes effect at once: it can be neither previewed nor undone by a window",
  );
}

function confirmWithin(c: Context): number | undefined {
  const header = c.req.header("confirm-within");
  if (header === undefined) return undefined;
  const seconds = /^\d{1,4}$/.test(header.trim()) ? Number(header) : NaN;
  if (seconds >= WINDOW.least && seconds <= WINDOW.most) return seconds;
  throw new Problem(
    400,
    `Confirm-Within is a number of seconds from ${WINDOW.least} to ${WINDOW.most}`,
  );
}

/**
 * Takes one decision through the engine as the request wants it: previewed with `?dryRun`, under a
 * confirm window with `Confirm-Within`, refused with 412 when `If-Match` no longer holds.
 */
export async function decide<R>(
  c: Context,
  engine: ChangeEngine<Config>,
  request: {
    readonly caller: Caller;
    readonly document: (keyof Config & string) | undefined;
    readonly alsoWrites?: readonly (keyof Config & string)[] | undefined;
    readonly command: Command<Config, R>;
    readonly answer?: ((result: R) => unknown) | undefined;
    /** Receives the addresses that the router would have. */
    readonly foresee?: ((addresses: readonly string[]) => void) | undefined;
  },
): Promise<Response> {
  const options = changeOptions(c, request.caller, request.document, request.alsoWrites);
  if (flag(c, "dryRun")) {
    const preview = await engine.preview(request.command, options);
    request.foresee?.(preview.addresses);
    return await previewAnswer(preview);
  }
  const outcome = await engine.change(request.command, options);
  const response = outcome.early
    ? empty(202)
    : await answerOf(await request.answer?.(outcome.result));
  changeHeaders(response.headers, outcome);
  if (request.document !== undefined && !response.headers.has("etag")) {
    const { document } = request;
    response.headers.set("etag", outcome.etagOf?.(document) ?? engine.etag(document));
  }
  return response;
}

/** The answer to `?dryRun=true`. */
export async function previewAnswer(preview: Sent<z.input<typeof Preview>>): Promise<Response> {
  return await largeJson(preview);
}

/** Tells the caller the id of the change, and how to confirm it. */
export function changeHeaders<R>(headers: Headers, outcome: Outcome<R>): void {
  if (outcome.id !== null) headers.set("change-id", outcome.id);
  if (outcome.confirm) {
    headers.set("confirm-token", outcome.confirm.token);
    headers.set("confirm-until", String(outcome.confirm.until));
    headers.set("router-addresses", outcome.confirm.addresses.join(", "));
  }
}
