import type { Asker } from "./pending_queries.ts";
import type { OverrideRef } from "../block/verdict/verdict_schema.ts";
import type { LogVerdict } from "../log/schema.ts";
import type { QueryRecord } from "../log/writer/sink.ts";
import type { Sender } from "../../core/net/transport.ts";

/** What is known of an answer beside its verdict. */
export interface Said {
  /** Set when it is said in the moment in which it is asked, so that no clock need be looked at. */
  readonly atOnce?: true;
  /** Set where the verdict alone does not say it. */
  readonly kind?: "local" | "rebind";
  /** The resolver that was asked just now. */
  readonly upstream?: string;
  /** The address of home that an outside name led to. */
  readonly rebound?: string;
}

/** What is said at once, of a name of home and of others. */
export const LOCAL: Said = { atOnce: true, kind: "local" }, AT_ONCE: Said = { atOnce: true };

const NOBODY = new Uint8Array(1), NONE: readonly string[] = [];

/** The record of the query that is told of now: the next is told of in the same. */
export class LentRecord implements QueryRecord {
  at = 0;
  client = "";
  clientPort = 0;
  identity = "";
  local = "";
  name: Uint8Array = NOBODY;
  verdict: LogVerdict = "pass";
  by: string | OverrideRef = "";
  categories: readonly string[] = NONE;
  upstream = "";
  ms = 0;
  message: Uint8Array = NOBODY;
  length = 0;
  rebindAddress = "";

  /** Takes what is known of the question and of who asked it. */
  take(
    name: Uint8Array,
    from: Sender,
    { verdict, client }: Pick<Asker, "verdict" | "client">,
    said: Said,
  ): void {
    this.client = from.address;
    this.clientPort = from.port;
    this.local = from.local;
    this.identity = client === undefined ? "" : client.identity;
    this.name = name;
    this.by = decider(verdict);
    this.categories = verdict.kind === "quarantine" ? NONE : verdict.categories;
    this.upstream = said.upstream ?? "";
    this.rebindAddress = said.rebound ?? "";
    const permitted = verdict.kind === "pass" && verdict.permitted !== undefined;
    this.verdict = said.kind ?? (permitted ? "permit" : verdict.kind);
  }
}

/** Who decided: a list by its URI, or an override. */
function decider(verdict: Asker["verdict"]): string | OverrideRef {
  if (verdict.kind === "quarantine") return "";
  const by = verdict.kind === "pass" ? verdict.permitted : verdict.by;
  if (by === undefined) return "";
  return "list" in by ? by.list : by;
}
