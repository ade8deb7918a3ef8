import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import { openEventIds } from "../../system/events/event_ids.ts";
import { publishDeviceEvents } from "../../system/devices/device_events.ts";
import { type AlertWatchOptions, watchAlerts } from "../../system/alerts/alert_watch.ts";
import { listAlert } from "../../system/alerts/list_alert.ts";
import { watchNewDevices } from "../../system/alerts/new_devices.ts";
import type { Notices } from "../../system/notices/board.ts";
import { EventStore } from "../../system/events/store/event_store.ts";
import { type OpenedServer, openServer, serverAddress } from "../../system/events/server/open.ts";
import type { HistoryOptions } from "./router_options.ts";
import { directLink, threadLink } from "../../system/events/store/store_link.ts";
import { publishPeerEvents } from "../../system/wireguard/peers/peer_events.ts";

/** The bus of a home, before anything publishes. */
export interface OpenedBus {
  readonly bus: Bus;
  /** Stores what is published from now on, and publishes what follows from changes. */
  keep(parts: {
    readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
    readonly notices: Notices;
    /** Sends an alert by the channels. */
    readonly send: NonNullable<AlertWatchOptions["send"]>;
    readonly log: Log;
  }): KeptEvents;
}

/** Events that are stored. */
export interface KeptEvents {
  readonly eventStore: EventStore;
  /** The history on a server; null where it is sent to none. */
  readonly historyServer: Pick<OpenedServer, "items" | "state"> | null;
  /** Ends what publishes of its own, and what it does at the moment. */
  stopEvents(): Promise<void>;
  /** Writes what waits and ends. */
  close(): Promise<void>;
}

/** Opens the bus: the ids of its events go on above those of the last run. */
export async function openBus({ home, now, live, log, ...options }: {
  readonly home: string;
  readonly now: () => number;
  /** Without it nothing runs beside the thread of the tests. */
  readonly live: boolean;
  readonly log: Log;
  readonly bus?: Bus | undefined;
  /** The server that the history is sent to; absent: none. */
  readonly history?: HistoryOptions | undefined;
}): Promise<OpenedBus> {
  const ids = await openEventIds(join(home, "state/api/event_ids"), {
    now,
    failed: (error) =>
      log.warn("events.ids_not_reserved", "Could not reserve ids of events", { error }),
  });
  const { history } = options;
  const address = history === undefined ? null : await serverAddress(home, history);
  const bus = options.bus ?? new Bus(now, ids.first);
  bus.continueAfter(ids.first);
  const stopIds = ids.follow(bus);
  return {
    bus,
    keep({ engine, notices, send, log }) {
      const eventStore = new EventStore({
        path: join(home, "state/history.db"),
        ...{ bus, engine },
        link: live ? threadLink : () => directLink(now),
        failed: (reason) =>
          log.warn("events.not_stored", "The event store has a problem", { reason }),
      });
      const opened = address === null ? null : openServer(
        address,
        eventStore,
        (reason) =>
          log.warn("events.not_sent", "The history could not be sent to its server", { reason }),
      );
      const failed = (error: unknown) =>
        log.error("alerts.failed", "An alert could not be listed", { error });
      const stops = [
        publishDeviceEvents({
          ...{ engine, bus },
          failed: (error) =>
            log.error("devices.events_failed", "Events of devices could not be published", {
              error,
            }),
        }),
        publishPeerEvents({ engine, bus }),
        watchNewDevices({ engine, bus, notices, now, failed }),
        watchAlerts({ engine, bus, failed, send, list: listAlert(notices) }),
      ];
      return {
        eventStore,
        historyServer: opened,
        async stopEvents() {
          await Promise.all(stops.map((stop) => stop()));
        },
        async close() {
          await stopIds();
          await opened?.close();
          await eventStore.close();
        },
      };
    },
  };
}
