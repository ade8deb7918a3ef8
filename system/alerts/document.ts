import type { Document, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { errorText } from "../core/errors/error_text.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { DEFAULT_RULES } from "./default_rules.ts";
import { checked } from "./rules.ts";
import { AlertRule, AlertRules } from "./schema.ts";

/** The rules of alerts, in the file of existing routers. */
export const alertsDocument: Document<readonly AlertRule[]> = {
  path: "base/alerts.json",
  topic: "alerts",
  schema: AlertRules,
  fallback: DEFAULT_RULES,
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The rules of alerts are one JSON array");
    const value: AlertRule[] = [], rejected: RejectedEntry[] = [];
    raw.forEach((entry: unknown, index) => {
      const parsed = AlertRule.safeParse(entry);
      const [issue] = parsed.error?.issues ?? [];
      try {
        if (!parsed.success) throw new Error(`${pointer(issue!.path)}: ${issue!.message}`);
        value.push(checked(parsed.data));
      } catch (error) {
        rejected.push({ pointer: pointer([index]), message: errorText(error), raw: entry });
      }
    });
    return { value, rejected };
  },
  keyOf: (element) => isRecord(element) ? String(element["RuleId"]) : JSON.stringify(element),
};
