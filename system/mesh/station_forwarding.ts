import type { Config } from "../config.ts";
import { isRecord } from "../core/config/json.ts";
import type { Bus } from "../core/events/bus.ts";
import type { StationReport } from "./plan_schema.ts";

const KINDS: ReadonlyMap<string, StationReport["kind"]> = new Map([
  ["wifi:auth:success", "connect"],
  ["wifi:auth:fail", "failure"],
  ["wifi:station:disconnect", "disconnect"],
]);

/**
 * Hands what happens to stations of this leaf's own radios on to its parent. Returns what ends it.
 */
export function forwardStations(deps: {
  readonly bus: Pick<Bus, "subscribe">;
  readonly config: () => Pick<Config, "mesh">;
  /** Takes a report; rejects while the process `mesh` is away. */
  readonly send: (report: unknown) => Promise<unknown>;
  readonly failed: (error: unknown) => void;
}): () => void {
  return deps.bus.subscribe(({ topic, data }) => {
    const kind = KINDS.get(topic);
    if (kind === undefined || !deps.config().mesh.LeafMode) return;
    if (!isRecord(data) || data["Router"] !== "") return;
    void deps.send({ kind, body: data }).catch(deps.failed);
  }, [...KINDS.keys()]);
}
