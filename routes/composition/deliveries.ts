import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import { storedKey } from "../../system/access/store.ts";
import { Deliveries } from "../../system/alerts/delivery/deliveries.ts";
import { OutboxFile } from "../../system/alerts/delivery/outbox_file.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { Database } from "../../system/core/store/open.ts";
import { LAN_LINK } from "../../system/network/lan_subnets.ts";
import type { Notices } from "../../system/notices/board.ts";

/** What deliveries are put together from. */
export interface OpenDeliveriesOptions {
  readonly home: string;
  readonly db: Database;
  readonly engine: Engine<Config>;
  readonly bus: Bus;
  readonly notices: Notices;
  readonly log: Log;
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly ending: AbortSignal;
  /** Names of the TLS certificate; none without one. */
  readonly certificateNames: () => readonly string[];
  /** Port of the listener with TLS, and of that without. */
  readonly port: (tls: boolean) => number;
}

/** Deliveries over the outbox of a home. */
export interface OpenedDeliveries {
  readonly deliveries: Deliveries;
  /** Ends what queues by itself, and writes what waits. */
  close(): Promise<void>;
}

/** Opens the outbox of a home, and the key of web push. */
export async function openDeliveries(options: OpenDeliveriesOptions): Promise<OpenedDeliveries> {
  const { home, db, log, random, engine } = options;
  const outbox = await OutboxFile.open({
    path: join(home, "state/api/outbox.json"),
    failed: (error) =>
      log.warn("alerts.outbox_not_saved", "Messages that wait could not be saved", { error }),
  });
  const failed = (error: unknown) =>
    log.error("alerts.not_queued", "A notice could not be queued for the channels", { error });
  const deliveries = new Deliveries({
    ...options,
    outbox,
    failed,
    random: Math.random,
    randomId: () => crypto.randomUUID(),
    pushKey: pushKeyOf(await storedKey(db, "push-key", random)),
    hostName: Deno.hostname(),
    origin: () => pagesOrigin(engine, options),
  });
  const stop = deliveries.watchNotices();
  return {
    deliveries,
    async close() {
      stop();
      await outbox.settled();
    },
  };
}

/** A private key of P-256 out of 32 random bytes: below the order of the group, and not 0. */
function pushKeyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(
    bytes,
    (byte, at) => at === 0 ? byte & 0x7f : at === 31 ? byte | 1 : byte,
  );
}

/** Address of the pages on the LAN: by a name of the certificate, else by the LAN address. */
function pagesOrigin(
  { desired }: Pick<Engine<Config>, "desired">,
  { certificateNames, port }: Pick<OpenDeliveriesOptions, "certificateNames" | "port">,
): string {
  const name = certificateNames().find((one) => !one.startsWith("*.") && one !== "localhost");
  const address = desired.addresses.find(({ link }) => link === LAN_LINK)?.address.split("/")[0];
  const host = name ?? address;
  if (host === undefined) return "";
  const tls = name !== undefined;
  const bare = host.includes(":") ? `[${host}]` : host;
  return new URL(`${tls ? "https" : "http"}://${bare}:${port(tls)}`).origin;
}
