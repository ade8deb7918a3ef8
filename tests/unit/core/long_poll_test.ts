import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { longPoll } from "../../../system/core/ipc/long_poll.ts";

Deno.test("a wait ends with what is published, with the end, and with a look that fails", async () => {
  const bus = new Bus(() => 0);
  const ending = new AbortController();
  let news = false;
  const waiting = longPoll({ bus, ending: ending.signal, isOther: () => news });
  bus.publish("nothing", {});
  news = true;
  bus.publish("something", {});
  await waiting;

  let fails = false;
  const failing = longPoll({
    bus,
    ending: ending.signal,
    isOther() {
      if (fails) throw new Error("It cannot be told");
      return false;
    },
  });
  fails = true;
  bus.publish("something", {});
  await assert.rejects(failing, /cannot be told/);

  const late = longPoll({ bus, ending: ending.signal, isOther: () => false });
  ending.abort();
  bus.publish("something", {});
  await late;
});
