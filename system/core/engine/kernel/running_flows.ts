import type { Planner } from "../change.ts";
import type { Desired } from "../../kernel/desired.ts";
import type { Flow, Host } from "../../kernel/host.ts";

/** The state that connections are judged by, and what is known of the kernel. */
export interface FlowJudge<C> {
  readonly host: Host;
  readonly planner: Planner<C>;
  readonly desired: Desired;
}

/**
 * Ends the running connections of these addresses that the state no longer lets begin. Answers how
 * many. Throws Problem when they could not be ended at the second try either.
 */
export async function flushDisallowed<C>(
  addresses: readonly string[],
  judge: FlowJudge<C>,
): Promise<number> {
  if (addresses.length === 0) return 0;
  const attempt = async (): Promise<number> => {
    const flows = await judge.host.flows(addresses);
    const refused = flows.filter((flow) => !accepted(flow, judge));
    if (refused.length > 0) await judge.host.flushFlows(refused);
    return refused.length;
  };
  try {
    return await attempt();
  } catch {
    // What was flushed is gone from the list now, so that a second try asks for the rest alone.
    return await attempt();
  }
}

/** True when the side that opened the connection could open it again. */
function accepted<C>(flow: Flow, judge: FlowJudge<C>): boolean {
  const packet = judge.planner.firstPacket(judge.desired, {
    source: flow.source,
    destination: flow.destination,
    protocol: flow.protocol,
    ...(flow.sport === undefined ? {} : { sport: flow.sport }),
    ...(flow.dport === undefined ? {} : { dport: flow.dport }),
  });
  return judge.planner.trace(judge.desired, packet).verdict === "accept";
}
