import type { Config } from "../../../config.ts";
import type { Bus } from "../../../core/events/bus.ts";
import type { ChangeEngine } from "../../../core/engine/change.ts";
import { pause } from "../../../core/time/pause.ts";
import { socketClient } from "../../../core/ipc/socket_client.ts";
import { EventsTold } from "../search/request_schema.ts";

/** Milliseconds that the resolver waits for something to tell. */
const WAIT = 20_000;
/** Milliseconds between two questions, so that events come in batches. */
const GATHER = 250;
/** Milliseconds before a resolver that does not answer is asked again. */
const RETRY = 2000;
/** Entries that one batch tells; more are counted. */
const MOST = 100;

/** What following the query log needs. */
export interface FollowOptions {
  /** The resolver's socket for its log. */
  readonly socket: string;
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** True while what was decided may still be taken back by itself. */
  readonly undecided: () => boolean;
  readonly bus: Bus;
  readonly ending: AbortSignal;
}

/**
 * Brings what the resolver tells of its work to the bus, in batches, and tells it which devices there
 * are, so that it forgets what those asked that are gone. Goes on until `ending`; answers when it did.
 */
export async function followQueries(options: FollowOptions): Promise<void> {
  const { socket, bus, ending } = options;
  const { call, close } = socketClient({ name: "The resolver", socket, ending });
  /** Devices that the resolver was told of; null: none yet. */
  let told: ReadonlySet<string> | null = null;
  let after: number | null = null;
  // A failure is made good when the resolver is there again.
  const unsubscribe = bus.subscribe(({ topic }) => {
    // Devices go with a change, or for good when it is kept.
    if (topic === "devices" || topic === "changes") tellDevices().catch(() => told = null);
  });
  try {
    while (!ending.aborted) {
      try {
        await tellDevices();
        const batch = await events(after);
        after = batch.last;
        for (const { topic, value } of batch.items) bus.publish(topic, value, { kept: false });
        if (batch.skipped > 0) {
          bus.publish("dns:skipped", { count: batch.skipped }, { kept: false });
        }
        await pause(GATHER, ending);
      } catch {
        // It is away, or starts anew with another memory; both end by themselves.
        after = told = null;
        await pause(RETRY, ending);
      }
    }
  } finally {
    unsubscribe();
    close();
  }

  async function events(after: number | null): Promise<EventsTold> {
    const from = after === null ? "" : `after=${after}&`;
    return EventsTold.parse(JSON.parse(await call(`/events?${from}wait=${WAIT}&most=${MOST}`)));
  }

  /** Tells the devices when one is gone since they were told last. */
  async function tellDevices(): Promise<void> {
    const identities = Object.keys(options.engine.config.devices);
    const known = new Set(identities);
    if (told === null || !told.isSubsetOf(known)) {
      if (options.undecided()) return;
      await call("/keep", { identities });
    }
    told = known;
  }
}
