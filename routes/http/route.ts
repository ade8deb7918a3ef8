import type { Context } from "hono";
import type * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ResponseHeaderName } from "../openapi/headers.ts";
import type { Tag } from "../openapi/tags.ts";
import type { Caller, Command } from "../../system/core/engine/change.ts";

/**
 * Who may call a route. `public`: anyone. `auth`: Basic, session, or a Bearer token whose scope
 * covers the path. `password`: an admin by Basic or session, never a token. `otp`: as `auth`, with a
 * valid OTP JWT. `setup`: the one-time code of the first start, until setup is done.
 */
export type Access = "public" | "auth" | "password" | "otp" | "setup";

/** Everything that is known of a route: drives validation, access, the API document and the tests. */
export interface RouteDescription {
  /** A GET answers HEAD as well; describe HEAD only where it differs, as in who may call it. */
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** With parameters in braces, `/device/{identity}`; a parameter never spans `/`. */
  readonly path: string;
  readonly summary: string;
  /** What a client author must know beyond the summary: order, limits, side effects. */
  readonly description: string;
  /** Examples for the API document where those of the schemas say too little. */
  readonly examples?: {
    readonly body?: unknown;
    readonly response?: unknown;
    /** Parameters of path, query and headers, by name. */
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
  /** Heading in the API document. */
  readonly tag: Tag;
  readonly access: Access;
  /** True where the setup code, as Bearer token, opens a route of access `auth` until setup is done. */
  readonly duringSetup?: boolean;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** Query parameters that may stand more than once; they are lists to the schema. */
  readonly repeats?: readonly string[];
  /** Request headers that it reads. */
  readonly headers?: z.ZodObject;
  /** JSON body. Field names match without regard to case, `null` means missing. */
  readonly body?: z.ZodType;
  /** True when the body may be left out. */
  readonly bodyOptional?: boolean;
  /** Bytes; default 1 MiB. */
  readonly maxBody?: number;
  /** JSON answer; absent: zero length without a content type, unless there is a {@link mediaType}. */
  readonly response?: z.ZodType;
  /** Of an answer that is no JSON: `text/plain`. With `response` it is text, without whatever bytes. */
  readonly mediaType?: string;
  /** Of an answer when all went well; default 200. */
  readonly status?: 101 | 201 | 204;
  /** Meaning of a 202, where it may be answered instead, with a sentence as plain text. */
  readonly accepted?: string;
  /** The document whose ETag a GET carries, and that `If-Match` of a write is compared with. */
  readonly document?: keyof Config & string;
  /** Further documents that it may change; each is compared where `If-Match` lists several ETags. */
  readonly alsoWrites?: readonly (keyof Config & string)[];
  /**
   * True for a write that {@link Call.decide} takes, and so can be previewed and tried under a window;
   * given by `document` unless set here. Any other write refuses `?dryRun` and `Confirm-Within`.
   */
  readonly decides?: boolean;
  /**
   * True for a GET whose answer may be large, holds no secret, and is not streamed: it is compressed for
   * clients on other machines. Secrets never are: an observer who can put text into an answer, such as
   * the name of a device, learns from its compressed length what else is in it (BREACH).
   */
  readonly compresses?: boolean;
  /** Statuses of errors that are answered as plain text, since existing clients show it as it is. */
  readonly textErrors?: readonly number[];
  /** True where `?force=true` passes a guard although it is no change; changes take it anyway. */
  readonly force?: boolean;
  /** Headers of a good answer that the handler sets. */
  readonly sends?: readonly ResponseHeaderName[];
  /** Statuses it answers beside those that its other words imply. */
  readonly errors?: readonly number[];
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** A value as it is answered: it is not changed on the way, so lists and objects of ours may be read-only. */
export type Sent<T> = T extends object ? { readonly [K in keyof T]: Sent<T[K]> } : T;

/** What a handler answers: what its response schema takes, nothing where there is none, or a whole answer. */
export type Answer<D extends RouteDescription> =
  | Response
  | (D["mediaType"] extends string ? never
    : D["response"] extends z.ZodType ? Sent<z.input<D["response"]>>
    : void);

/** One call of a route: what was sent, validated, and who sent it. */
export interface Call<D extends RouteDescription> {
  readonly c: Context;
  readonly params: Parsed<D["params"]>;
  readonly query: Parsed<D["query"]>;
  readonly headers: Parsed<D["headers"]>;
  readonly body: Parsed<D["body"]>;
  readonly caller: Caller;
  /**
   * Takes a decision through the engine: honours `?dryRun`, `?force`, `Confirm-Within` and
   * `If-Match`, sets `Change-Id`, `ETag` and the confirm headers, and answers what `answer` makes of
   * the result; a route without a response schema answers empty 200.
   */
  decide<R>(
    command: Command<Config, R>,
    ...answer: D["response"] extends z.ZodType
      ? [answer: (result: R) => Answer<D> | Promise<Answer<D>>]
      : [answer?: (result: R) => Response]
  ): Promise<Response>;
}

/** True for a route that changes something. */
export function isWrite({ method }: Pick<RouteDescription, "method">): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** True for a write that goes through the change engine. */
export function decides(
  { method, document, decides }: Pick<RouteDescription, "method" | "document" | "decides">,
): boolean {
  return isWrite({ method }) && (decides ?? document !== undefined);
}

/** A route as the app mounts it: its description and what it does. */
export interface Route {
  readonly description: RouteDescription;
  // deno-lint-ignore no-explicit-any -- each route's own parameter, query and body types
  readonly handle: (call: Call<any>) => unknown;
}

/**
 * Describes a route. The handler answers what the response schema takes, nothing for an empty 200, or a
 * whole `Response`; it throws Problem.
 */
export function route<const D extends RouteDescription>(
  description: D,
  handle: (call: Call<D>) => Answer<D> | Promise<Answer<D>>,
): Route {
  return { description, handle };
}
