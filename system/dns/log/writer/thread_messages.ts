import type { LogConfig } from "../schema.ts";
import type { LogQuery } from "../search/search.ts";

/** A request to the thread of the query log. */
export type ThreadRequest =
  /** Returns the highest id of the log. */
  | { readonly type: "open"; readonly path: string; readonly config: LogConfig }
  | { readonly type: "configure"; readonly config: LogConfig }
  | { readonly type: "search"; readonly query: LogQuery }
  | {
    readonly type: "status";
    readonly client: string;
    readonly since: number;
    readonly periods: number;
  }
  | { readonly type: "deleteQueries"; readonly client: string }
  | { readonly type: "retainDevices"; readonly identities: readonly string[] }
  | {
    readonly type: "events";
    readonly after: number | null;
    readonly wait: number;
    readonly max: number;
  }
  | { readonly type: "trim" }
  /** Answered at once, to show that the thread is alive. */
  | { readonly type: "ping" }
  | { readonly type: "close" };

/** To the thread. */
export type ToThread =
  | { readonly kind: "write"; readonly segment: Uint8Array<ArrayBuffer> }
  | { readonly kind: "request"; readonly id: number; readonly request: ThreadRequest };

/** From the thread. */
export type FromThread =
  /** A segment was accepted; another may be sent. */
  | { readonly kind: "accepted" }
  /** Queries were written or lost. */
  | {
    readonly kind: "flushed";
    readonly written: number;
    readonly lost: number;
    readonly reason: string;
  }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly reason: string };
