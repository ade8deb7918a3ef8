import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { Problem } from "../core/errors/problem.ts";
import { DEFAULT_WAN, WanConfig } from "./schema.ts";
import { repairedWan } from "./settings_rules.ts";

/** How uplinks are watched, and connections given to them. */
export const wanDocument: Document<WanConfig> = {
  path: "base/wan.json",
  topic: "wan",
  schema: WanConfig,
  fallback: DEFAULT_WAN,
  read,
  older: { path: "base/wan_health.json", read },
};

function read(raw: unknown): Reading<WanConfig> {
  if (!isRecord(raw)) throw new Problem(400, "The settings of uplinks are one object");
  return { value: repairedWan(raw), aside: [] };
}
