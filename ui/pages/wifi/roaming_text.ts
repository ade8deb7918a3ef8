import type { RoamingRecord } from "./wire.ts";
import { t } from "../../text/language.ts";

/** What steering did or would do, and why. */
export function reasonText(
  one: Pick<RoamingRecord, "Origin" | "SourceRSSI" | "DryRun">,
  threshold: number,
): string {
  if (one.Origin === "manual") return t("By hand");
  const signal = one.SourceRSSI === 0
    ? t("Weak signal")
    : one.SourceRSSI <= threshold
    ? t("{sourceRSSI} dBm is at or below {threshold}", { sourceRSSI: one.SourceRSSI, threshold })
    : t("{sourceRSSI} dBm", { sourceRSSI: one.SourceRSSI });
  return one.Origin === "auto_explore" ? t("{signal}; tried to learn from it", { signal }) : signal;
}

/** What became of it. */
export function outcomeText(
  { State, SourceRSSI, PostRSSI, PostInterface, Error: error }: RoamingRecord,
): string {
  const gain = PostRSSI === undefined || SourceRSSI === 0 ? "" : gainText(PostRSSI - SourceRSSI);
  switch (State) {
    case "recommended":
      return t("Not sent: recommended only");
    case "sent":
      return t("Sent; outcome awaited");
    case "succeeded":
      return t("Moved") + gain;
    case "ignored":
      return t("Stayed where it was");
    case "moved_elsewhere":
      return t("Moved to {postInterface}{gain}", {
        postInterface: PostInterface ?? t("another radio"),
        gain,
      });
    case "offline":
      return t("Left the Wi-Fi");
    case "observation_failed":
      return error ?? t("Outcome unknown");
    case "disabled":
      return t("Steering was off before the outcome was known");
  }
}

function gainText(gain: number): string {
  if (gain === 0) return t(", same signal");
  return gain > 0
    ? t(", signal {gain} dB better", { gain })
    : t(", signal {loss} dB worse", { loss: -gain });
}

/** The mark of an outcome. */
export function markOf({ State }: Pick<RoamingRecord, "State">): string {
  if (State === "succeeded") return "dot";
  return State === "offline" || State === "observation_failed" ? "dot warning" : "dot off";
}
