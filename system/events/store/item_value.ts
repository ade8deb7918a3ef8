import { isRecord } from "../../core/config/json.ts";
import { type ItemTime, parseItemTime } from "./item_time.ts";

/** The value with the time of its key, where it has none of its own. */
export function withTime(value: unknown, time: string): unknown {
  if (!isRecord(value)) return value;
  return typeof value["time"] === "string" && value["time"] !== "" ? value : { ...value, time };
}

/** The time that a value says of itself; null where it says none. */
function ownTime(value: unknown): ItemTime | null {
  const time = isRecord(value) ? value["time"] : null;
  return typeof time === "string" ? parseItemTime(time) : null;
}

/** The time of an event's key: its own, or when it was published; told apart by its id. */
export function eventTime(
  { id, at, data }: { readonly id: number; readonly at: number; readonly data: unknown },
): ItemTime {
  return ownTime(data) ?? { at, nanos: id % 1_000_000 };
}
