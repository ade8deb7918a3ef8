import type { Document } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { Problem } from "../core/errors/problem.ts";
import { DEFAULT_INSIGHTS, InsightsSettings } from "./schema.ts";

const MAX_DAYS = 90;

/** Whether traffic is kept by destination, in the file of existing routers. */
export const insightsDocument: Document<InsightsSettings> = {
  path: "base/traffic_insights.json",
  topic: "traffic_insights",
  schema: InsightsSettings,
  fallback: DEFAULT_INSIGHTS,
  read(raw) {
    if (!isRecord(raw)) throw new Problem(400, "Settings of traffic insights must be one object");
    const days = raw["RetentionDays"];
    const RetentionDays = typeof days !== "number" || days < 1
      ? DEFAULT_INSIGHTS.RetentionDays
      : Math.min(Math.floor(days), MAX_DAYS);
    return { value: { Enabled: raw["Enabled"] !== false, RetentionDays }, rejected: [] };
  },
};
