import { feedPoll, type Poll } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import {
  type LeaseReport,
  type ProbeReport,
  problemDetail,
  type ProblemReport,
  type SpeedReport,
  UplinkPlan,
} from "./plan_schema.ts";

/** The api for uplinkd. Calls throw while it is away. */
export interface UplinkApi {
  readonly plan: Poll<UplinkPlan>;
  lease(report: LeaseReport): Promise<void>;
  probes(report: ProbeReport): Promise<void>;
  reportProblem(report: ProblemReport): Promise<void>;
  speed(report: SpeedReport): Promise<void>;
  close(): void;
}

/** Connects to the api's socket; calls end with the signal. */
export function uplinkApi(socket: string, ending: AbortSignal): UplinkApi {
  const client = socketClient({ name: "The api", socket, ending });
  const report = (path: string) => async (body: unknown): Promise<void> => {
    await client.call(path, body);
  };
  return {
    plan: feedPoll(client, "/plan", UplinkPlan),
    lease: report("/lease"),
    probes: report("/probes"),
    reportProblem: ({ name, detail }) =>
      report("/problem")({ name, detail: problemDetail(detail) }),
    speed: report("/speed"),
    close: client.close,
  };
}
