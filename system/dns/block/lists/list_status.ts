import { type ListRecord, nextLook } from "./list_record.ts";
import type { BlockList } from "../schema.ts";
import { isUpload } from "./source.ts";
import type { ListStatus } from "../api_schema.ts";

/** What is going on with a list. */
export interface ListMoment {
  /** Seconds between looks as people set them; 0 is the usual. */
  readonly refresh: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly fetching: boolean;
  /** New content came that is not in the table yet. */
  readonly fresh: boolean;
  /** The table in force holds it. */
  readonly inTable: boolean;
}

/** How a list stands, for people. */
export function statusOf(
  { URI, Enabled }: Pick<BlockList, "URI" | "Enabled">,
  record: ListRecord,
  moment: ListMoment,
): ListStatus {
  const { names, exceptions, skipped, bytes, fetched, checked, error } = record;
  const next = Enabled && !isUpload(URI) ? nextLook(record, moment.refresh, moment.now) : null;
  return {
    ...{ uri: URI, enabled: Enabled, names, exceptions, skipped, bytes, fetched, checked },
    ...{ next, error, state: Enabled ? stateOf(record, moment) : "off" },
  };
}

function stateOf(
  { error, fetched }: ListRecord,
  { fetching, fresh, inTable }: ListMoment,
): ListStatus["state"] {
  if (fetching) return "fetching";
  if (fresh) return "building";
  if (error !== "") return "failed";
  if (fetched === 0) return "waiting";
  return inTable ? "ready" : "building";
}
