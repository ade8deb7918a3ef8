/**
 * Publishes events and prints the id of each batch's last one once it is stored, until it is killed:
 * `event_writer.ts <folder>`.
 */
import { Bus } from "../../../system/core/events/bus.ts";
import { openEventIds } from "../../../system/events/event_ids.ts";
import { EventStore } from "../../../system/events/store/event_store.ts";
import { threadLink } from "../../../system/events/store/store_link.ts";
import { STORES_ALL } from "../builders/event_settings.ts";

const [folder] = Deno.args;
const clock = () => 1_700_000_000_000;
const ids = await openEventIds(`${folder}/ids`, { now: clock, failed: fail });
const bus = new Bus(Date.now, ids.first);
ids.follow(bus);
const store = new EventStore({
  path: `${folder}/history.db`,
  bus,
  engine: STORES_ALL,
  link: threadLink,
  failed: fail,
});
const encoder = new TextEncoder();
for (;;) {
  let last = 0;
  for (let n = 0; n < 50; n++) last = bus.publish("of:tests", { n }).id;
  await store.flush();
  Deno.stdout.writeSync(encoder.encode(`${last}\n`));
}

function fail(reason: unknown): never {
  throw reason instanceof Error ? reason : new Error(String(reason));
}
