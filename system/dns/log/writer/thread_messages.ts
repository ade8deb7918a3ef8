import type { LogConfig } from "../schema.ts";
import type { LogQuery } from "../search/search.ts";

/** What the thread of the log is asked to do and to answer. */
export type Ask =
  /** Answered with the highest id of the log. */
  | { readonly do: "open"; readonly path: string; readonly config: LogConfig }
  | { readonly do: "configure"; readonly config: LogConfig }
  | { readonly do: "page"; readonly query: LogQuery }
  | { readonly do: "status"; readonly client: string; readonly since: number }
  | { readonly do: "forget"; readonly client: string }
  | { readonly do: "keepOnly"; readonly identities: readonly string[] }
  | {
    readonly do: "events";
    readonly after: number | null;
    readonly wait: number;
    readonly most: number;
  }
  | { readonly do: "trim" }
  /** Answered at once, to show that the thread lives. */
  | { readonly do: "ping" }
  | { readonly do: "close" };

/** To the thread. */
export type ToThread =
  | { readonly kind: "write"; readonly block: Uint8Array<ArrayBuffer> }
  | { readonly kind: "ask"; readonly id: number; readonly ask: Ask };

/** From the thread. */
export type FromThread =
  /** A block was taken in; another may come. */
  | { readonly kind: "taken" }
  /** Queries are written down, or lost. */
  | {
    readonly kind: "settled";
    readonly written: number;
    readonly lost: number;
    readonly why: string;
  }
  | { readonly kind: "told"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly why: string };
