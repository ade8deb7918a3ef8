import type { Document } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { channelFault, SECRET_FIELDS } from "./rules.ts";
import { AlertChannel, MAX_CHANNELS } from "./schema.ts";
import * as z from "zod";

/** The channels by which alerts leave the router. */
export const channelsDocument: Document<readonly AlertChannel[]> = {
  path: "base/alert_channels.json",
  topic: "alert_channels",
  schema: z.array(AlertChannel).max(MAX_CHANNELS),
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The channels of alerts are one JSON array");
    return readList<AlertChannel>(raw, { schema: AlertChannel, fault: faultOf });
  },
  secret: (path) => path.length === 2 && SECRET_FIELDS.some((field) => field === path[1]),
  keyOf: (element) => isRecord(element) ? String(element["id"]) : JSON.stringify(element),
};

function faultOf(channel: AlertChannel, before: readonly AlertChannel[]): string | null {
  if (before.length >= MAX_CHANNELS) return `There are ${MAX_CHANNELS} channels already`;
  if (before.some(({ id }) => id === channel.id)) return "/id: A channel before it has the same id";
  const fault = channelFault(channel);
  return fault === null ? null : `${fault.field}: ${fault.message}`;
}
