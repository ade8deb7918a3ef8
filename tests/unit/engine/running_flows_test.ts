import assert from "node:assert/strict";
import { RunningFlows } from "../../../system/core/engine/kernel/running_flows.ts";
import type { Flow, Host } from "../../../system/core/kernel/host.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { flowOf } from "../../kit/fakes/toy_kernel.ts";
import { until } from "../../kit/process.ts";

/** A table of connections, the list of each family of which hangs while a test says so. */
class Table {
  flows: Flow[] = [];
  readonly hanging = new Set<"4" | "6">();
  readonly notices: string[] = [];
  details: string[] = [];
  clock = 0;
  #waiting: (() => void)[] = [];

  /** Answers all pending requests for a list. */
  answer(): void {
    this.hanging.clear();
    for (const go of this.#waiting.splice(0)) go();
  }

  open(): RunningFlows {
    const host = {
      flows: async (addresses: readonly string[]) => {
        const family = addresses[0]!.includes(":") ? "6" : "4";
        if (this.hanging.has(family)) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        return this.flows.filter(({ source }) => addresses.includes(source));
      },
      flushFlows: (flows: readonly Flow[]) => {
        this.flows = this.flows.filter((flow) => !flows.includes(flow));
        return Promise.resolve();
      },
    } as unknown as Host;
    return new RunningFlows({
      host: () => host,
      notices: {
        open: (kind, detail) => {
          this.notices.push(kind);
          this.details.push(detail);
          return Promise.resolve();
        },
        settle: () => {
          this.notices.length = 0;
          return Promise.resolve();
        },
      },
      log: openLog({ process: "test", human: false, write: () => {} }),
      clock: () => this.clock,
      timeoutMs: 5,
    });
  }
}

const of = (...addresses: readonly string[]) => ({
  reason: "test",
  addresses,
  select: (flows: readonly Flow[]) => flows,
});

Deno.test("a conntrack that never answers holds nobody up, is reported once, and tried again", async () => {
  const table = new Table();
  const running = table.open();
  table.flows = [flowOf("10.0.0.5"), flowOf("10.0.0.6"), flowOf("fd00::1")];
  table.hanging.add("4").add("6");
  await running.end(of("10.0.0.5", "fd00::1"));
  await running.end(of("10.0.0.6"));
  assert.deepEqual(table.notices, ["flows-not-flushed"]);
  assert.match(table.details[0]!, /within 0.005 seconds\. It is tried again/);
  table.clock = 100;
  running.tick();
  running.tick();
  assert.equal(table.flows.length, 3);
  table.answer();
  await until("all are ended", () => table.flows.length === 0);
  await until("that is reported", () => table.notices.length === 0);
});

Deno.test("while one family cannot be listed, connections of the other end at once", async () => {
  const table = new Table();
  const running = table.open();
  table.flows = [flowOf("10.0.0.5"), flowOf("fd00::1")];
  table.hanging.add("6");
  await running.end(of("10.0.0.5", "fd00::1"));
  assert.deepEqual(table.flows.map(({ source }) => source), ["fd00::1"]);
  table.answer();
  await until("the other ends as well", () => table.flows.length === 0);
});

Deno.test("what need not end any more at a later try goes on, and the notice closes", async () => {
  const table = new Table();
  const running = table.open();
  table.flows = [flowOf("10.0.0.5")];
  table.hanging.add("4");
  let ends = true;
  await running.end({ ...of("10.0.0.5"), select: (flows) => ends ? flows : [] });
  ends = false;
  table.answer();
  await until("the notice closes", () => table.notices.length === 0);
  assert.equal(table.flows.length, 1);
});

Deno.test("a notice of an earlier run closes once everything is judged", async () => {
  const table = new Table();
  table.notices.push("flows-not-flushed");
  await table.open().end(of("10.0.0.5"));
  assert.deepEqual(table.notices, []);
});
