import type { Document, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
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
    const value: AlertChannel[] = [], rejected: RejectedEntry[] = [];
    raw.forEach((entry: unknown, index) => {
      const parsed = AlertChannel.safeParse(entry);
      const fault = parsed.success ? faultOf(parsed.data, value) : {
        field: pointer(parsed.error.issues[0]!.path),
        message: parsed.error.issues[0]!.message,
      };
      if (parsed.success && fault === null) value.push(parsed.data);
      else {
        const at = `${pointer([index])}${fault!.field}`;
        rejected.push({ pointer: at, message: fault!.message, raw: entry });
      }
    });
    return { value, rejected };
  },
  secret: (path) => path.length === 2 && SECRET_FIELDS.some((field) => field === path[1]),
  keyOf: (element) => isRecord(element) ? String(element["id"]) : JSON.stringify(element),
};

function faultOf(channel: AlertChannel, before: readonly AlertChannel[]) {
  if (before.length >= MAX_CHANNELS) {
    return { field: "", message: `There are ${MAX_CHANNELS} channels already` };
  }
  return before.some(({ id }) => id === channel.id)
    ? { field: "/id", message: "A channel before it has the same id" }
    : channelFault(channel);
}
