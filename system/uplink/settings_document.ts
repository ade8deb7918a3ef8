import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { Problem } from "../core/errors/problem.ts";
import { DEFAULT_WAN, WanConfig } from "./schema.ts";
import { repairedWan } from "./settings_rules.ts";

/** Settings of health checks, failover and load balancing. */
export const wanDocument: Document<WanConfig> = {
  path: "base/wan.json",
  topic: "wan",
  schema: WanConfig,
  fallback: DEFAULT_WAN,
  read,
  older: { path: "base/wan_health.json", read },
};

function read(raw: unknown): Reading<WanConfig> {
  if (!isRecord(raw)) throw new Problem(400, "Uplink settings must be one object");
  return { value: repairedWan(raw), rejected: [] };
}
