import type { QueryContext } from "./pending_queries.ts";
import type { OverrideRef } from "../block/verdict/verdict_schema.ts";
import type { LogVerdict } from "../log/schema.ts";
import type { QueryRecord } from "../log/writer/sink.ts";
import type { Sender } from "../../core/net/transport.ts";

/** What the log takes of a response beside its verdict. */
export interface ResponseDetails {
  /** Set for a response in the moment of its query, which needs no look at a clock. */
  readonly immediate?: true;
  /** Set where the verdict alone does not say it. */
  readonly kind?: "local" | "rebind";
  /** The upstream resolver that was queried just now. */
  readonly upstream?: string;
  /** The private address that an Internet name resolved to. */
  readonly privateAddress?: string;
}

/** Of an immediate response with a local name, and of others. */
export const LOCAL_RESPONSE: ResponseDetails = { immediate: true, kind: "local" },
  IMMEDIATE: ResponseDetails = { immediate: true };

const NO_BYTES = new Uint8Array(1), NONE: readonly string[] = [];

/** The record that is lent to the log with each query. */
export class ReusedRecord implements QueryRecord {
  at = 0;
  client = "";
  clientPort = 0;
  identity = "";
  local = "";
  name: Uint8Array = NO_BYTES;
  verdict: LogVerdict = "pass";
  by: string | OverrideRef = "";
  categories: readonly string[] = NONE;
  upstream = "";
  ms = 0;
  message: Uint8Array = NO_BYTES;
  length = 0;
  rebindAddress = "";

  /** Takes a query, its client and the verdict on it. */
  take(
    name: Uint8Array,
    from: Sender,
    { verdict, client }: Pick<QueryContext, "verdict" | "client">,
    details: ResponseDetails,
  ): void {
    this.client = from.address;
    this.clientPort = from.port;
    this.local = from.local;
    this.identity = client === undefined ? "" : client.identity;
    this.name = name;
    this.by = decidedBy(verdict);
    this.categories = verdict.kind === "quarantine" ? NONE : verdict.categories;
    this.upstream = details.upstream ?? "";
    this.rebindAddress = details.privateAddress ?? "";
    const permitted = verdict.kind === "pass" && verdict.permitted !== undefined;
    this.verdict = details.kind ?? (permitted ? "permit" : verdict.kind);
  }
}

/** A list by its URI, a built-in check by its name, or a custom rule; "" for none. */
function decidedBy(verdict: QueryContext["verdict"]): string | OverrideRef {
  if (verdict.kind === "quarantine") return "";
  const by = verdict.kind === "pass" ? verdict.permitted : verdict.by;
  if (by === undefined) return "";
  if ("builtin" in by) return by.builtin;
  return "list" in by ? by.list : by;
}
