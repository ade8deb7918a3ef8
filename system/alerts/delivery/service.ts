import { feedPoll, followFeed } from "../../core/ipc/feed.ts";
import { ReportQueue } from "../../core/ipc/report_queue.ts";
import { socketClient } from "../../core/ipc/socket_client.ts";
import type { Log } from "../../core/log/log.ts";
import { pause } from "../../core/time/pause.ts";
import { plainUpstreamNetwork } from "../../host/datagrams/upstream_sockets.ts";
import { nameAddresses } from "../../host/sockets/name_addresses.ts";
import { attempt, type Sources } from "./attempt.ts";
import { type DeliveryJob, DeliveryPlan, type DeliveryReport } from "./plan_schema.ts";

/** Options of {@link startNotifyd}. */
export interface NotifydOptions {
  /** The api's socket for notifyd. */
  readonly socket: string;
  readonly log: Log;
}

/**
 * Starts notifyd: sends the messages of the api's plan, those of different channels beside each other, and
 * reports what came of each. It keeps nothing: what was not reported is in the plan again.
 */
export function startNotifyd({ socket, log }: NotifydOptions): { stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const client = socketClient({ name: "The api", socket, ending: signal });
  const reports = new ReportQueue({
    pause: (ms) => pause(ms, signal),
    ended: () => signal.aborted,
  });
  const { connect } = plainUpstreamNetwork();
  const network = { resolve: nameAddresses, connect };
  /** Jobs of the plan that were begun, also those that are done. */
  let begun: ReadonlySet<string> = new Set();
  const running = new Set<Promise<void>>();

  async function run(job: DeliveryJob, sources: Sources): Promise<void> {
    const outcome = await attempt(job, { ...network, ...sources, now: Date.now(), ending: signal });
    if (outcome === null) return;
    if (outcome.kind !== "sent") {
      log.info("notify.not_sent", `A message was not sent to ${job.channel.name}`, {
        channel: job.channel.id,
        reason: outcome.message,
      });
    }
    const report: DeliveryReport = { id: job.id, ...outcome };
    reports.enqueue(job.id, async () => {
      await client.call("/result", report);
    });
  }

  const following = followFeed<DeliveryPlan>({
    poll: feedPoll(client, "/plan", DeliveryPlan),
    apply({ jobs, ...sources }) {
      const fresh = jobs.filter(({ id }) => !begun.has(id));
      begun = new Set(jobs.map(({ id }) => id));
      for (const job of fresh) {
        const work = run(job, sources).catch((error) =>
          log.error("notify.failed", "A message could not be sent", { error })
        ).finally(() => running.delete(work));
        running.add(work);
      }
    },
    log,
    ending: signal,
  });
  const reporting = reports.run();
  return {
    async stop() {
      ending.abort();
      await Promise.all([following, reporting, ...running]);
      client.close();
    },
  };
}
