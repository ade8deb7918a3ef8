import type { Config } from "../../config.ts";
import type { StationReport } from "../plan_schema.ts";

/**
 * What hands reports of this leaf's own radios on to its parent; those of other routers, and of a router
 * that is no leaf, go nowhere.
 */
export function stationForwarding(deps: {
  readonly config: () => Pick<Config, "mesh">;
  /** Takes a report; rejects while the process `mesh` is away. */
  readonly send: (report: StationReport) => Promise<unknown>;
  readonly failed: (error: unknown) => void;
}): (report: StationReport) => void {
  return (report) => {
    if (!deps.config().mesh.LeafMode || report.body.Router !== "") return;
    void deps.send(report).catch(deps.failed);
  };
}
