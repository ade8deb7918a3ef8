import type { Document } from "../../core/config/document.ts";
import { issueMessage } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { DEFAULT_ROAMING, RoamingConfig } from "./schema.ts";

/** Settings of client steering (`configs/wifi/roaming.json`). */
export const roamingDocument: Document<RoamingConfig> = {
  path: "wifi/roaming.json",
  topic: "roaming",
  schema: RoamingConfig,
  fallback: DEFAULT_ROAMING,
  read(raw) {
    const parsed = RoamingConfig.safeParse(raw);
    if (parsed.success) return { value: parsed.data, rejected: [] };
    throw new Problem(400, issueMessage(parsed.error));
  },
};
