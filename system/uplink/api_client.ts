import { Problem } from "../core/problem.ts";
import {
  asDetail,
  type LeaseReport,
  type ProbeReport,
  type SpeedReport,
  type TroubleReport,
  UplinkPlan,
} from "./plan_schema.ts";

type ApiInit = RequestInit & { readonly client: Deno.HttpClient };

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
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  async function call(path: string, body?: unknown): Promise<string> {
    const init: ApiInit = {
      client,
      signal: ending,
      ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://127.0.0.1${path}`, init);
    const answer = await response.text();
    if (!response.ok) throw new Problem(response.status, "The api refused");
    return answer;
  }
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
    close: () => client.close(),
  };
}
