import type { Asker } from "./asker.ts";
import type { QueryRecord } from "./log/sink.ts";
import type { QueryView } from "./message.ts";
import { nameText } from "./name.ts";

/** What is known of an answer beside its verdict. */
export interface Said {
  /** Set where the verdict alone does not say it. */
  readonly kind?: "local" | "rebind";
  /** The resolver that was asked just now. */
  readonly upstream?: string;
  /** The address of home that an outside name led to. */
  readonly rebound?: string;
}

/** The record of a query for the log. Times: unix milliseconds, milliseconds. */
export function queryRecord(
  view: QueryView,
  { from, verdict, client }: Asker,
  said: Said & {
    readonly message: Uint8Array;
    readonly unixNow: number;
    readonly took: number;
  },
): QueryRecord {
  const permitted = verdict.kind === "pass" && verdict.permitted !== undefined;
  return {
    at: said.unixNow,
    client: from.address,
    clientPort: from.port,
    identity: client?.identity ?? "",
    local: from.local,
    localPort: 53,
    name: nameText(view.name),
    qtype: view.type,
    qclass: view.class,
    verdict: said.kind ?? (permitted ? "permit" : verdict.kind),
    by: decider(verdict),
    ...("categories" in verdict && verdict.categories.length > 0
      ? { categories: verdict.categories }
      : {}),
    upstream: said.upstream ?? "",
    ms: Math.round(said.took * 100) / 100,
    message: said.message,
    ...(said.rebound === undefined ? {} : { rebound: said.rebound }),
  };
}

/** Names who decided: a list by its URI, an override by its list and domain. */
function decider(verdict: Asker["verdict"]): string {
  const by = verdict.kind === "pass"
    ? verdict.permitted
    : verdict.kind === "quarantine"
    ? undefined
    : verdict.by;
  if (by === undefined) return "";
  return "list" in by ? by.list : `${by.override.list}: ${by.override.domain}`;
}
