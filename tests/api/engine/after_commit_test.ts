import assert from "node:assert/strict";
import type { Command } from "../../../system/core/engine/change.ts";
import { ADMIN, putDevice, toyDocuments, ToyHome } from "../../kit/fakes/toy_engine.ts";
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
