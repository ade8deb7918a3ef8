import assert from "node:assert/strict";
import { DEFAULT_LOG_CONFIG } from "../../../../system/dns/log/schema.ts";
import { LogStore } from "../../../../system/dns/log/writer/store.ts";
import { withLogFile as withFile } from "../../../kit/dns/query_log.ts";
import { query } from "../../../kit/dns/query.ts";
import { eventually } from "../../../kit/eventually.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 500 } as const;
const FAILING = new URL("../../../kit/programs/dns/failing_log_thread.ts", import.meta.url);

/** A log whose thread dies of certain names. */
async function mortal(path: string, look?: number) {
  const logged: { readonly text: string; readonly lost: unknown }[] = [];
  const store = await LogStore.open({
    path,
    config: DEFAULT_LOG_CONFIG,
    log: { warn: (_, text, fields) => logged.push({ text, lost: fields?.["lost"] }) },
    module: FAILING,
    restartDelayMs: 20,
    ...(look === undefined ? {} : { pingIntervalMs: look }),
  });
  const names = async () => (await store.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
  return { store, logged, names };
}

const STOPPED = "The query log thread died and will be restarted";

Deno.test("a dead thread is restarted; lost queries are counted and logged once, new ones are queued", () =>
  withFile(async (path) => {
    const { store, logged, names } = await mortal(path);
    store.record(query({ name: "before.example." }));
    assert.deepEqual(await names(), ["before.example."]);
    for (let i = 0; i < 3; i++) store.record(query({ name: `lost${i}.example.` }));
    store.record(query({ name: "throw.example." }));
    await assert.rejects(names(), /It died of a name/);
    // The disk is not stirred for what waits, and nobody waits for the thread.
    store.record(query({ name: "meanwhile.example." }));
    await assert.rejects(names(), { status: 503 });
    const after = await eventually("it is open again", names);
    assert.deepEqual(after, ["meanwhile.example.", "before.example."]);
    assert.deepEqual([store.dropped, logged], [4, [{ text: STOPPED, lost: 4 }]]);
    store.record(query({ name: "after.example." }));
    assert.deepEqual((await names())[0], "after.example.");
    await store.close();
  }));

Deno.test("a thread that ends silently is detected", () =>
  withFile(async (path) => {
    const { store, logged, names } = await mortal(path, 400);
    const lost = { name: "end.example." };
    store.record(query(lost));
    await assert.rejects(names(), /does not answer/);
    assert.deepEqual(await eventually("it is open again", names), []);
    assert.deepEqual([store.dropped, logged], [1, [{ text: STOPPED, lost: 1 }]]);
    await store.close();
  }));

Deno.test("a log that is closed while its thread is dead stays closed", () =>
  withFile(async (path) => {
    const { store, names } = await mortal(path);
    store.record(query({ name: "throw.example." }));
    await assert.rejects(names(), /It died/);
    await store.close();
    await assert.rejects(names(), /closed/);
  }));

Deno.test("a log whose thread hangs is closed all the same", () =>
  withFile(async (path) => {
    const { store, logged } = await mortal(path);
    store.record(query({ name: "end.example." }));
    await store.close();
    assert.deepEqual(logged.map(({ text }) => text), ["The query log did not close cleanly"]);
  }));

Deno.test("new settings apply while the thread is dead, also to queued queries", () =>
  withFile(async (path) => {
    const { store, names } = await mortal(path);
    store.record(query({ name: "throw.example." }));
    await assert.rejects(names(), /It died/);
    store.record(query({ name: "secret.example." }));
    const hidden = {
      ...DEFAULT_LOG_CONFIG,
      DomainIgnoreList: ["secret.example"],
      StoreLocalMemory: false,
    };
    await store.configure(hidden).catch(() => {});
    assert.deepEqual(await eventually("it is open again", names), []);
    store.record(query());
    assert.deepEqual(await names(), [], "nothing is to be kept");
    await store.close();
  }));

Deno.test("a killed process loses only the last moment of its log", () =>
  withFile(async (path) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        `${import.meta.dirname}/../../../kit/programs/dns/log_child.ts`,
        path,
      ],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream());
    let recorded = 0;
    // Some three seconds' worth, so that there is more than the last moment.
    for await (const text of lines) {
      recorded = Number(text.trim().split("\n").at(-1));
      if (recorded >= 250) break;
    }
    child.kill("SIGKILL");
    await child.status;
    const store = await LogStore.open({
      path,
      config: DEFAULT_LOG_CONFIG,
      log: { warn: assert.fail },
    });
    const { items } = await store.search(ALL);
    const names = items.map(({ Q }) => Q[0]!.Name).reverse();
    assert.deepEqual(names, names.map((_, i) => `n${i}.example.`), "no gap");
    // A second, of which some hundred come, and as much again on a busy machine.
    assert.ok(names.length >= recorded - 200, `${names.length} of ${recorded}`);
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    await store.close();
  }));

Deno.test("a log whose thread dies before it is open fails and is not restarted", () =>
  withFile(async (path) => {
    const { Worker } = globalThis;
    let begun = 0;
    globalThis.Worker = class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        begun++;
      }
    };
    try {
      const opening = LogStore.open({
        path,
        config: DEFAULT_LOG_CONFIG,
        log: { warn: () => {} },
        module: new URL("data:application/javascript,throw new Error('No thread today')"),
        restartDelayMs: 300,
      });
      await assert.rejects(opening, /No thread today/);
      assert.equal(begun, 2);
    } finally {
      globalThis.Worker = Worker;
    }
  }));
