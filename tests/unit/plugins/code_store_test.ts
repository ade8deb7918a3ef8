import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { CodeStore } from "../../../system/plugins/install/store.ts";

const DAY_MS = 86_400_000;

Deno.test("approved files stay while a plugin has them and a month longer, so that an undo finds them", async () => {
  const home = await Deno.makeTempDir({ prefix: "sluice-test-" });
  const folder = `${home}/state/plugind/code`;
  const [used, old] = ["a".repeat(64), "b".repeat(64)];
  let now = Date.now();
  const store = new CodeStore({
    ...{ home, bus: new Bus(), steady: () => 0, now: () => now },
    fetch: () => Promise.reject(new Error("Nothing is fetched")),
  });
  const left = () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  try {
    await store.prune([]);
    for (const hash of [used, old]) {
      await Deno.mkdir(`${folder}/${hash}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/${hash}/main.ts`, "");
    }
    now += 29 * DAY_MS;
    await store.prune([{ codeHash: used }]);
    assert.deepEqual(left(), [used, old]);
    now += 2 * DAY_MS;
    await store.prune([{ codeHash: used }]);
    assert.deepEqual(left(), [used]);
    now += 29 * DAY_MS;
    await store.prune([]);
    assert.deepEqual(left(), [used], "a month from when it was last there");
    now += 2 * DAY_MS;
    await store.prune([]);
    assert.deepEqual(left(), []);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
