import { feedPoll, type Poll } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import {
  asDetail,
  type LeaseReport,
  type ProbeReport,
  type ProblemReport,
  type SpeedReport,
  UplinkPlan,
} from "./plan_schema.ts";

/** The api as uplinkd sees it. Calls throw while it is away. */
export interface UplinkApi {
  readonly plan: Poll<UplinkPlan>;
  lease(report: LeaseReport): Promise<void>;
  probes(report: ProbeReport): Promise<void>;
  reportProblem(report: ProblemReport): Promise<void>;
  speed(report: SpeedReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function uplinkApi(socket: string, ending: AbortSignal): UplinkApi {
  const client = socketClient({ name: "The api", socket, ending });
  const tell = (path: string) => async (body: unknown): Promise<void> => {
    await client.call(path, body);
  };
  return {
    plan: feedPoll(client, "/plan", UplinkPlan),
    lease: tell("/lease"),
    probes: tell("/probes"),
    // What is refused is told nobody.
    reportProblem: ({ name, detail }) => tell("/problem")({ name, detail: asDetail(detail) }),
    speed: tell("/speed"),
    close: client.close,
  };
}
