import { socketClient } from "../core/ipc/socket_client.ts";
import {
  asDetail,
  type LeaseReport,
  type ProbeReport,
  type SpeedReport,
  type TroubleReport,
  UplinkPlan,
} from "./plan_schema.ts";

/** The api as uplinkd sees it. Calls throw while it is away. */
export interface UplinkApi {
  /** Waits until the plan is another than the known one. */
  plan(known: string): Promise<UplinkPlan>;
  lease(report: LeaseReport): Promise<void>;
  probes(report: ProbeReport): Promise<void>;
  trouble(report: TroubleReport): Promise<void>;
  speed(report: SpeedReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function uplinkApi(socket: string, ending: AbortSignal): UplinkApi {
  const { call, close } = socketClient({ name: "The api", socket, ending });
  const tell = (path: string) => async (body: unknown): Promise<void> => {
    await call(path, body);
  };
  return {
    async plan(known) {
      return UplinkPlan.parse(JSON.parse(await call(`/plan?known=${encodeURIComponent(known)}`)));
    },
    lease: tell("/lease"),
    probes: tell("/probes"),
    // What is refused is told nobody.
    trouble: ({ name, detail }) => tell("/trouble")({ name, detail: asDetail(detail) }),
    speed: tell("/speed"),
    close,
  };
}
