import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import {
  type FeedFollower,
  type FeedValue,
  followFeed,
  publishFeed,
  waitForNews,
} from "../../../system/core/ipc/feed.ts";
import { AwayFault } from "../../../system/core/ipc/socket_client.ts";
import { ReportQueue } from "../../../system/core/ipc/report_queue.ts";

Deno.test("a long poll ends with news, with the end of the api, and with a look that fails", async () => {
  const bus = new Bus(() => 0);
  const ending = new AbortController();
  const deps = { bus, ending: ending.signal };
  let news = false;
  const waiting = waitForNews(deps, () => news);
  bus.publish("nothing", {});
  news = true;
  bus.publish("something", {});
  await waiting;

  let fails = false;
  const failing = waitForNews(deps, () => {
    if (fails) throw new Error("It cannot be decided");
    return false;
  });
  fails = true;
  bus.publish("something", {});
  await assert.rejects(failing, /cannot be decided/);

  const late = waitForNews(deps, () => false);
  ending.abort();
  bus.publish("something", {});
  await late;
});

Deno.test("events of one moment are one reason to look", async () => {
  const bus = new Bus(() => 0);
  const ending = new AbortController();
  let looks = 0;
  const waiting = waitForNews({ bus, ending: ending.signal }, () => ++looks === 2);
  for (let i = 0; i < 1000; i++) bus.publish("dns:serve:192.168.2.6", i, { kept: false });
  await waiting;
  assert.equal(looks, 2, "one at the beginning, one for all of them");
});

Deno.test("a feed answers a service that knows another value at once, and one that knows this with the next", async () => {
  const bus = new Bus(() => 0);
  let value: FeedValue = { tag: "one" };
  const poll = publishFeed({ bus, ending: new AbortController().signal }, () => value);
  assert.equal((await poll("")).tag, "one");
  const next = poll("one");
  value = { tag: "two" };
  bus.publish("something", {});
  assert.equal((await next).tag, "two");
});

interface Followed {
  /** Tags that polls named as known. */
  readonly known: string[];
  readonly applied: string[];
  readonly lines: string[];
  readonly losses: number;
}

/** Follows a feed whose polls have these results, to the last of them. */
async function follow(
  results: readonly (FeedValue | Error)[],
  apply: FeedFollower<FeedValue>["apply"] = () => true,
): Promise<Followed> {
  const ending = new AbortController();
  const known: string[] = [], applied: string[] = [], lines: string[] = [];
  let losses = 0;
  await followFeed<FeedValue>({
    poll(tag) {
      const result = results[known.push(tag) - 1];
      if (result === undefined) ending.abort();
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result!);
    },
    apply(value) {
      if (ending.signal.aborted) return;
      applied.push(value.tag);
      return apply(value);
    },
    lost: () => void losses++,
    log: { debug: (event) => lines.push(event), warn: (event) => lines.push(event) },
    ending: ending.signal,
  });
  return { known, applied, lines, losses };
}

Deno.test("a service polls with the tag it knows, and with none after a failure", async () => {
  const away = new AwayFault("The api does not answer");
  const { known, applied, lines, losses } = await follow([{ tag: "one" }, away, { tag: "one" }]);
  assert.deepEqual(known, ["", "one", "", "one"]);
  assert.deepEqual(applied, ["one", "one"]);
  assert.deepEqual([lines, losses], [["ipc.api_unreachable"], 1]);
});

Deno.test("what the api has not decided yet leaves the service as it is", async () => {
  const { known, applied } = await follow([
    { tag: "undecided", decided: false },
    { tag: "one", decided: true },
  ]);
  assert.deepEqual([known, applied], [["", "undecided", "one"], ["one"]]);
});

Deno.test("a value that was not applied whole comes again", async () => {
  let attempts = 0;
  const { known } = await follow([{ tag: "one" }, { tag: "one" }], () => ++attempts > 1);
  assert.deepEqual(known, ["", "", "one"]);
});

Deno.test("a problem of the api's answers is logged once while it lasts", async () => {
  const broken = new Error("not a plan");
  // Of any class, also of that which fetch throws for a server that is away.
  const mistake = new TypeError("x is not a function");
  const { lines } = await follow([broken, broken, { tag: "one" }, mistake]);
  assert.deepEqual(lines, ["ipc.feed_failed", "ipc.feed_failed"]);
});

Deno.test("of many reports that nobody takes the newest wait", async () => {
  let ended = false;
  const sent: number[] = [];
  const queue = new ReportQueue({
    pause: () => Promise.resolve(),
    ended: () => ended,
  });
  for (let n = 0; n < 20_000; n++) {
    queue.enqueue(`station ${n}`, () => {
      sent.push(n);
      ended ||= n === 19_999;
      return Promise.resolve();
    });
  }
  await queue.run();
  assert.equal(sent.length, 16_384);
  assert.deepEqual([sent[0], sent.at(-1)], [20_000 - 16_384, 19_999]);
});
