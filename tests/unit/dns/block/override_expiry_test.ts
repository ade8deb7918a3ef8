import assert from "node:assert/strict";
import type { Config } from "../../../../system/config.ts";
import { Bus } from "../../../../system/core/events/bus.ts";
import type { ChangeEngine, Command, Outcome } from "../../../../system/core/engine/change.ts";
import { startOverrideExpiry } from "../../../../system/dns/block/override_expiry.ts";
import type { DomainOverride } from "../../../../system/dns/block/schema.ts";
import { configWith } from "../../../kit/builders/device_config.ts";
import { blockConfig, override, overrideList } from "../../../kit/dns/block.ts";

const NOW = 1_800_000_000_000;

/** A timer over a configuration with these overrides, and a clock of the test's own. */
function timerOver(...overrides: DomainOverride[]) {
  const bus = new Bus();
  const errors: unknown[] = [];
  const state = {
    now: NOW,
    config: configWith({ dnsBlock: blockConfig({ OverrideLists: [overrideList(overrides)] }) }),
    refuse: null as Error | null,
    changes: 0,
    /** What rings next, and in how many milliseconds. */
    alarm: null as { ring: () => void; milliseconds: number } | null,
  };
  const engine: Pick<ChangeEngine<Config>, "config" | "change"> = {
    get config() {
      return state.config;
    },
    change<R>(command: Command<Config, R>): Promise<Outcome<R>> {
      if (state.refuse !== null) return Promise.reject(state.refuse);
      const [config, result] = command.reduce(state.config);
      state.changes++;
      state.config = config;
      return Promise.resolve({ result, id: "1" });
    },
  };
  const timer = startOverrideExpiry({
    engine,
    bus,
    now: () => state.now,
    alarm(ring, milliseconds) {
      const mine = { ring, milliseconds };
      state.alarm = mine;
      return () => {
        if (state.alarm === mine) state.alarm = null;
      };
    },
    log: (error) => errors.push(error),
  });
  const left = () => {
    const [list] = state.config.dnsBlock.OverrideLists;
    return [...list!.PermitDomains, ...list!.BlockDomains].map(({ Domain }) => Domain);
  };
  return { state, timer, bus, errors, left };
}

const end = (seconds: number) => ({ Expiration: NOW / 1000 + seconds });

Deno.test("the alarm is set to the second of the next expiration, and to none without one", async () => {
  const { state, timer, left } = timerOver(
    override("for.good.example."),
    override("b.example.", end(30)),
    override("a.example.", { ...end(10), Type: "permit" }),
  );
  assert.equal(state.alarm?.milliseconds, 10_000);
  state.now += 10_000;
  await timer.tick();
  assert.deepEqual(left(), ["for.good.example.", "b.example."]);
  assert.equal(state.alarm?.milliseconds, 20_000);
  state.now += 20_000;
  await timer.tick();
  assert.deepEqual(left(), ["for.good.example."]);
  assert.equal(state.alarm, null);
  assert.equal(state.changes, 2);
  timer.stop();
});

Deno.test("a distant expiration is checked each minute, in case the clock is set", async () => {
  const { state, timer, left } = timerOver(override("a.example.", end(86_400)));
  assert.equal(state.alarm?.milliseconds, 60_000);
  state.now += 86_400_000;
  state.alarm!.ring();
  await Promise.resolve();
  assert.deepEqual(left(), []);
  timer.stop();
});

Deno.test("the alarm follows a new override at once", () => {
  const { state, timer, bus } = timerOver();
  assert.equal(state.alarm, null);
  const OverrideLists = [overrideList([override("a.example.", end(5))])];
  state.config = { ...state.config, dnsBlock: blockConfig({ OverrideLists }) };
  bus.publish("dns", {});
  assert.equal(state.alarm!.milliseconds, 5000);
  timer.stop();
  assert.equal(state.alarm, null);
  bus.publish("dns", {});
  assert.equal(state.alarm, null);
});

Deno.test("a removal that fails is logged and retried", async () => {
  const { state, timer, errors, left } = timerOver(override("a.example.", end(1)));
  state.refuse = new Error("The disk is full");
  state.now += 1000;
  await timer.tick();
  assert.deepEqual(errors, [state.refuse]);
  assert.equal(state.alarm?.milliseconds, 30_000);
  state.refuse = null;
  await timer.tick();
  assert.deepEqual(left(), []);
  timer.stop();
});
