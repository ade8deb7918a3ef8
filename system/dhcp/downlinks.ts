import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/change.ts";

/** Links on which addresses are to be leased now: none while nothing is applied. */
export function servedLinks(engine: Pick<ChangeEngine<Config>, "config" | "network">): string[] {
  if (engine.network.state !== "applied") return [];
  return engine.config.interfaces
    .filter(({ Type, Enabled }) => Type === "Downlink" && Enabled)
    .map(({ Name }) => Name)
    .sort();
}
