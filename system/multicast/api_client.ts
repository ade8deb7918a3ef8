import { socketClient } from "../core/ipc/socket_client.ts";
import { type HeardReport, RelayPlan } from "./schema.ts";

/** The api as multicastd sees it. Calls throw while it is away. */
export interface MulticastApi {
  /** Waits until the plan is another than the known one. */
  plan(known: string): Promise<RelayPlan>;
  heard(report: HeardReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function multicastApi(socket: string, ending: AbortSignal): MulticastApi {
  const { call, close } = socketClient({ name: "The api", socket, ending });
  return {
    async plan(known) {
      return RelayPlan.parse(JSON.parse(await call(`/plan?known=${encodeURIComponent(known)}`)));
    },
    async heard(report) {
      await call("/heard", report);
    },
    close,
  };
}
