import { type ListRecord, nextCheck } from "./list_record.ts";
import type { BlockList } from "../schema.ts";
import { isUpload } from "./source.ts";
import type { ListStatus } from "../api_schema.ts";

/** Current activity of a list. */
export interface ListActivity {
  /** Configured seconds between checks; 0 is the default. */
  readonly refresh: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly fetching: boolean;
  /** New content is not in the table yet. */
  readonly unbuilt: boolean;
  /** It is in the active table. */
  readonly inTable: boolean;
}

/** Status of a list. */
export function statusOf(
  { URI, Enabled }: Pick<BlockList, "URI" | "Enabled">,
  record: ListRecord,
  activity: ListActivity,
): ListStatus {
  const { domains, exceptions, skipped, lines, reasons, bytes, fetched, checked, error } = record;
  const next = Enabled && !isUpload(URI) ? nextCheck(record, activity.refresh, activity.now) : null;
  return {
    ...{ uri: URI, enabled: Enabled, domains, exceptions, skipped, lines, reasons, bytes },
    ...{ fetched, checked, next, error, state: Enabled ? stateOf(record, activity) : "off" },
  };
}

function stateOf(
  { error, fetched }: ListRecord,
  { fetching, unbuilt, inTable }: ListActivity,
): ListStatus["state"] {
  if (fetching) return "fetching";
  if (unbuilt) return "building";
  if (error !== "") return "failed";
  if (fetched === 0) return "waiting";
  return inTable ? "ready" : "building";
}
