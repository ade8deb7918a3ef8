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
    installed: () => [],
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

Deno.test("a plugin from a repository is published as it is fetched, and as it is installed or not", async () => {
  const home = await Deno.makeTempDir({ prefix: "sluice-test-" });
  const GitURL = "https://git.example/me/sample";
  let installed: readonly { readonly GitURL: string }[] = [];
  let isThere = true;
  const bus = new Bus(), published: unknown[] = [];
  bus.subscribe(({ topic, data }) => published.push([topic, data]));
  const store = new CodeStore({
    ...{ home, bus, steady: () => 0, now: Date.now },
    fetch: () => isThere ? Promise.resolve("fetched") : Promise.reject(new Error("It is away")),
    installed: () => installed,
  });
  const folder = `${home}/state/plugind/incoming/fetched`;
  const source = { GitURL, Archive: "", Folder: "" };
  const manifest = { Name: "sample", URI: "sample", Version: "1.0.0", Main: "main.ts" };
  try {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/plugin.json`, JSON.stringify(manifest));
    await Deno.writeTextFile(`${folder}/main.ts`, "1");
    const reviewed = await store.review(source);
    store.publishInstall(reviewed, { did: "Installed the plugin sample 1.0.0" });
    installed = [{ GitURL }];
    isThere = false;
    await assert.rejects(store.review(source));
    store.publishInstall(reviewed, { failure: new Error("The name is taken") });
    store.publishInstall({ ...reviewed, gitUrl: "" }, { did: "Installed an archive" });
    assert.deepEqual(published, [
      ["plugin:download:success", { GitURL }],
      ["plugin:install:status", {
        ...{ GitURL, Name: "sample", Reason: "Installed the plugin sample 1.0.0" },
      }],
      ["plugin:download:exists", { GitURL }],
      ["plugin:download:failure", { GitURL, Reason: "It is away" }],
      ["plugin:install:failure", { GitURL, Name: "sample", Reason: "The name is taken" }],
    ]);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
