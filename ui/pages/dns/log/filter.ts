import type { LogEntry } from "../wire.ts";
import { clientOf, queryName } from "../text.ts";
import { FACETS } from "./counts.ts";

/** What of the log is shown; lives in the address of the page. */
export interface LogFilter {
  /** A part of the domain. */
  readonly name: string;
  /** Address of one device; empty for all. */
  readonly client: string;
  /** Name of a facet. */
  readonly facet: string;
}

/** The verdicts of a filter; none for all. */
export function verdictsOf({ facet }: LogFilter): readonly string[] {
  return FACETS.find(({ name }) => name === facet)?.verdicts ?? [];
}

/** Reads a filter from the address of the page. */
export function filterOf(query: Readonly<Record<string, string | undefined>>): LogFilter {
  const facet = query["show"] ?? "";
  return {
    name: query["name"] ?? "",
    client: query["client"] ?? "",
    facet: FACETS.some(({ name }) => name === facet) ? facet : "all",
  };
}

/** The address of the page with a filter. */
export function addressOf({ name, client, facet }: LogFilter): string {
  const query = new URLSearchParams();
  if (name !== "") query.set("name", name);
  if (client !== "") query.set("client", client);
  if (facet !== "all") query.set("show", facet);
  const text = query.toString();
  return text === "" ? "/admin/dns" : `/admin/dns?${text}`;
}

/** The part of a name that is looked for, as names go over the wire; other scripts by whole labels. */
function wantedName({ name }: LogFilter): string {
  const text = name.trim().toLowerCase();
  // Everything in ASCII stands for itself, half a label among it.
  if (!/[^\0-\x7f]/.test(text)) return text;
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : text;
}

/** The query of the request. */
export function askOf(filter: LogFilter): Record<string, string> {
  const verdict = verdictsOf(filter).join(",");
  const name = wantedName(filter);
  return {
    ...(name === "" ? {} : { name }),
    ...(filter.client === "" ? {} : { client: filter.client }),
    ...(verdict === "" ? {} : { verdict }),
  };
}

/** True for an entry that the filter shows. */
export function shows(filter: LogFilter, entry: LogEntry): boolean {
  const verdicts = verdictsOf(filter);
  return (filter.client === "" || clientOf(entry) === filter.client) &&
    (verdicts.length === 0 || verdicts.includes(entry.verdict)) &&
    queryName(entry).toLowerCase().includes(wantedName(filter));
}
