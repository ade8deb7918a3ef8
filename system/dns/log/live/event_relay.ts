import type { Config } from "../../../config.ts";
import type { Bus } from "../../../core/events/bus.ts";
import type { ChangeEngine } from "../../../core/engine/change.ts";
import { pause } from "../../../core/time/pause.ts";
import { socketClient } from "../../../core/ipc/socket_client.ts";
import { EventBatch } from "../search/request_schema.ts";

/** Milliseconds that the resolver waits for an event. */
const LONG_POLL_MS = 20_000;
/** Milliseconds between two polls, so that events come in batches. */
const POLL_INTERVAL_MS = 250;
const RETRY_DELAY_MS = 2000;
/** Entries in one batch; more are only counted. */
const MAX_EVENTS = 100;

/** Options of {@link relayQueryEvents}. */
export interface EventRelayOptions {
  /** The resolver's query log socket. */
  readonly socket: string;
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** True while a change may still be reverted automatically. */
  readonly awaitsConfirm: () => boolean;
  readonly bus: Bus;
  readonly ending: AbortSignal;
}

/**
 * Publishes the resolver's query events on the bus, in batches, and sends it the devices, so that it
 * deletes the queries of removed ones. Runs until `ending`.
 */
export async function relayQueryEvents(options: EventRelayOptions): Promise<void> {
  const { socket, bus, ending } = options;
  const { call, close } = socketClient({ name: "The resolver", socket, ending });
  /** Devices that were sent to the resolver; null for none yet. */
  let sent: ReadonlySet<string> | null = null;
  let after: number | null = null;
  // Devices are removed by a change, for good once it is confirmed. After a failure they are sent when
  // the resolver is reachable again.
  const unsubscribe = bus.subscribe(() => void sendDevices().catch(() => sent = null), [
    "devices",
    "changes",
  ]);
  try {
    while (!ending.aborted) {
      try {
        await sendDevices();
        const batch = await events(after);
        after = batch.last;
        for (const { topic, value } of batch.items) bus.publish(topic, value, { kept: false });
        if (batch.skipped > 0) {
          bus.publish("dns:skipped", { count: batch.skipped }, { kept: false });
        }
        await pause(POLL_INTERVAL_MS, ending);
      } catch {
        // It is down or restarting, and has lost its events.
        after = sent = null;
        await pause(RETRY_DELAY_MS, ending);
      }
    }
  } finally {
    unsubscribe();
    close();
  }

  async function events(after: number | null): Promise<EventBatch> {
    const from = after === null ? "" : `after=${after}&`;
    return EventBatch.parse(
      JSON.parse(await call(`/events?${from}wait=${LONG_POLL_MS}&max=${MAX_EVENTS}`)),
    );
  }

  /** Sends the devices when one was removed since they were sent last. */
  async function sendDevices(): Promise<void> {
    const identities = Object.keys(options.engine.config.devices);
    const known = new Set(identities);
    if (sent === null || !sent.isSubsetOf(known)) {
      if (options.awaitsConfirm()) return;
      await call("/retain", { identities });
    }
    sent = known;
  }
}
