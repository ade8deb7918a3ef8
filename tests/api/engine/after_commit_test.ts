import assert from "node:assert/strict";
import type { Command } from "../../../system/core/engine/change.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { ADMIN, putDevice, statusOf, toyDocuments, ToyHome } from "../../kit/fakes/toy_engine.ts";
import type { ToyConfig } from "../../kit/fakes/toy_schema.ts";

Deno.test("entity tags that cannot be prepared leave committed changes as they are", async () => {
  await using home = await ToyHome.make();
  let isCommitted = false;
  const { devices } = toyDocuments;
  const engine = await home.open({
    documents: {
      ...toyDocuments,
      devices: {
        ...devices,
        secret(path) {
          if (isCommitted) throw new Error("Broken");
          return devices.secret!(path);
        },
      },
    },
    crash: (point) => void (isCommitted ||= point === "journal:committed"),
  });
  for (const observation of [true, false]) {
    isCommitted = false;
    let reduced = 0;
    const counted = (name: string): Command<ToyConfig> => {
      const command = putDevice(`${name} ${observation}`, { Open: true });
      return {
        ...command,
        reduce(config) {
          reduced++;
          return command.reduce(config);
        },
      };
    };
    const options = { caller: ADMIN, observation };
    const outcomes = await Promise.all(
      ["a", "b"].map((name) => engine.change(counted(name), options)),
    );
    // A task has its turn once the changes are done with.
    await engine.tick();
    assert.ok(outcomes.every(({ id }) => id !== null));
    assert.equal(reduced, 2);
  }
  isCommitted = false;
  assert.equal((await engine.history.list(10)).items.length, 4);
});

/** A bus one of whose listeners throws at each event about the kernel's state. */
function failingBus(): Bus {
  const bus = new Bus();
  bus.subscribe(() => {
    throw new Error("Broken listener");
  }, ["network"]);
  return bus;
}

Deno.test("a listener that fails leaves a refused change answered, and the next one its turn", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open({ bus: failingBus() });
  home.host.refuse = () => {
    throw new Problem(502, "nft: refused");
  };
  const refused = ["a", "b"].map((name) =>
    engine.change(putDevice(name, { Open: true }), { caller: ADMIN })
  );
  assert.deepEqual(await Promise.all(refused.map(statusOf)), [502, 502]);
  assert.equal(engine.network.state, "broken");
  assert.deepEqual(await home.openNotices(), ["network-broken"]);
  home.host.refuse = () => {};
  home.clock += 60;
  await engine.tick();
  assert.equal(engine.network.state, "applied");
  assert.deepEqual(await home.openNotices(), []);
});

Deno.test("what fails after a commit leads to no second try of its changes", async () => {
  await using home = await ToyHome.make();
  let committed = 0;
  const engine = await home.open({
    crash(point) {
      if (point === "journal:committed") committed++;
      if (point === "change:announced" && committed === 1) throw new Error("Broken");
    },
  });
  const reduced: string[] = [];
  const counted = (name: string): Command<ToyConfig> => {
    const command = putDevice(name);
    return {
      ...command,
      reduce(config) {
        reduced.push(name);
        return command.reduce(config);
      },
    };
  };
  const outcomes = await Promise.all(
    ["a", "b"].map((name) => engine.change(counted(name), { caller: ADMIN })),
  );
  await engine.tick();
  assert.ok(outcomes.every(({ id }) => id !== null));
  assert.deepEqual(reduced, ["a", "b"]);
  assert.equal((await engine.history.list(10)).items.length, 2);
});
