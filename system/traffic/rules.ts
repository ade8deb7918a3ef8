import type { Config } from "../config.ts";
import type { InsightsSettings } from "./schema.ts";

/** Sets whether traffic is kept by destination; the configuration itself where nothing changes. */
export function setInsights(
  config: Config,
  insights: InsightsSettings,
): [Config, InsightsSettings] {
  const { Enabled, RetentionDays } = config.insights;
  const isSame = Enabled === insights.Enabled && RetentionDays === insights.RetentionDays;
  return [isSame ? config : { ...config, insights }, insights];
}
