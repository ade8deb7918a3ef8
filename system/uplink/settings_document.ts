import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { Problem } from "../core/errors/problem.ts";
import { DEFAULT_UPLINK_SETTINGS, UplinkSettings } from "./schema.ts";
import { repairedUplinkSettings } from "./settings_rules.ts";

/** Settings of health checks, failover and load balancing. */
export const uplinkSettingsDocument: Document<UplinkSettings> = {
  path: "base/wan.json",
  topic: "wan",
  schema: UplinkSettings,
  fallback: DEFAULT_UPLINK_SETTINGS,
  read,
  older: { path: "base/wan_health.json", read },
};

function read(raw: unknown): Reading<UplinkSettings> {
  if (!isRecord(raw)) throw new Problem(400, "Uplink settings must be one object");
  return { value: repairedUplinkSettings(raw), rejected: [] };
}
