import type { RoamingRecord } from "./wire.ts";

/** What steering did or would do, and why. */
export function reasonText(
  one: Pick<RoamingRecord, "Origin" | "SourceRSSI" | "DryRun">,
  threshold: number,
): string {
  if (one.Origin === "manual") return "By hand";
  const signal = one.SourceRSSI === 0
    ? "Weak signal"
    : `${one.SourceRSSI} dBm${one.SourceRSSI <= threshold ? ` is at or below ${threshold}` : ""}`;
  return one.Origin === "auto_explore" ? `${signal}; tried to learn from it` : signal;
}

/** What became of it. */
export function outcomeText(
  { State, SourceRSSI, PostRSSI, PostInterface, Error: error }: RoamingRecord,
): string {
  const gain = PostRSSI === undefined || SourceRSSI === 0 ? "" : gainText(PostRSSI - SourceRSSI);
  switch (State) {
    case "recommended":
      return "Not sent: recommended only";
    case "sent":
      return "Sent; outcome awaited";
    case "succeeded":
      return `Moved${gain}`;
    case "ignored":
      return "Stayed where it was";
    case "moved_elsewhere":
      return `Moved to ${PostInterface ?? "another radio"}${gain}`;
    case "offline":
      return "Left the Wi-Fi";
    case "observation_failed":
      return error ?? "Outcome unknown";
    case "disabled":
      return "Steering was off before the outcome was known";
  }
}

function gainText(gain: number): string {
  if (gain === 0) return ", same signal";
  return gain > 0 ? `, signal ${gain} dB better` : `, signal ${-gain} dB worse`;
}

/** The mark of an outcome. */
export function markOf({ State }: Pick<RoamingRecord, "State">): string {
  if (State === "succeeded") return "dot";
  return State === "offline" || State === "observation_failed" ? "dot warning" : "dot off";
}
