import assert from "node:assert/strict";
import { join } from "node:path";
import { type Files, files } from "../../../../system/core/config/files.ts";
import { ADMIN, putDevice, putRules, ToyHome } from "../../../kit/fakes/toy_engine.ts";

const by = { caller: ADMIN };
const DEVICES = "devices/devices.json";
const RULES = "base/rules.json";

/** What was written to a file, oldest first; the first is on the disk for sure. */
type Versions = Map<string, Uint8Array[]>;

/** The files of a home, which remember what was not synced yet. */
function recorded(versions: Versions, nameOf: (path: string) => string): Files {
  return {
    ...files,
    place: async (staged) => {
      for (const { path, temporary } of staged) {
        const name = nameOf(path);
        versions.set(name, [...versions.get(name) ?? [], await Deno.readFile(temporary)]);
      }
      await files.place(staged);
    },
    syncFiles: async (paths) => {
      await files.syncFiles(paths);
      for (const name of paths.map(nameOf)) {
        versions.set(name, (versions.get(name) ?? []).slice(-1));
      }
    },
  };
}

/** What a power cut may leave of a file: any version, each but the synced one whole or in part. */
function remains(versions: readonly Uint8Array[]): readonly Uint8Array[] {
  return versions.flatMap((bytes, at) => {
    if (at === 0) return [bytes];
    const middle = bytes.length >> 1;
    const holed = bytes.slice().fill(0, middle >> 1, middle);
    const unwritten = bytes.slice().fill(0, middle);
    const nothing = new Uint8Array(bytes.length);
    return [bytes, bytes.slice(0, 0), bytes.slice(0, middle), holed, unwritten, nothing];
  });
}

Deno.test("whatever of the files came to the disk before a power cut, a start goes on from the commit", async (t) => {
  await using home = await ToyHome.make();
  const versions: Versions = new Map();
  const cuts: { readonly home: ToyHome; readonly versions: Versions }[] = [];
  let counts = false;
  const nameOf = (path: string): string => path.slice(home.path("/").length);
  const engine = await home.open({
    files: recorded(versions, nameOf),
    crash: (point) => {
      if (!counts || point !== "change:announced") return;
      cuts.push({ home: home.cut(), versions: structuredClone(versions) });
    },
  });
  await engine.change(putDevice("ä", { Open: true, Psk: "correct horse" }), by);
  await engine.change(putRules("r"), by);
  await engine.tick();
  counts = true;
  // The second waits in the queue before the first one is marked as written.
  const first = engine.change(putDevice("b", { Name: "ü".repeat(50) }), by);
  const rest = engine.change(putRules("r", "s", "t"), by);
  await Promise.all([first, rest, first.then(() => engine.change(putDevice("c"), by))]);
  const last = cuts.at(-1)!;
  await using crashed = last.home;
  for (const { home } of cuts.slice(0, -1)) await home[Symbol.asyncDispose]();
  const { config } = engine;
  assert.deepEqual(Object.keys(config.devices), ["ä", "b", "c"]);
  assert.equal(last.versions.get(DEVICES)!.length, 3, "two are not synced");
  const [devices, rules] = [DEVICES, RULES].map((name) => remains(last.versions.get(name)!));
  for (const [one, device] of devices!.entries()) {
    await t.step(`state ${one} of the devices`, async () => {
      for (const rule of rules!) {
        await using home = crashed.cut();
        await Deno.writeFile(home.path(DEVICES), device);
        await Deno.writeFile(home.path(RULES), rule);
        const engine = await home.open();
        assert.deepEqual(engine.config, config);
        assert.deepEqual(await home.read(DEVICES), config.devices);
        assert.deepEqual(await home.read(RULES), config.rules);
        assert.deepEqual(home.files(), [RULES, DEVICES]);
        assert.deepEqual(await home.openNotices(), []);
        const { items } = await engine.history.list(20);
        assert.deepEqual([...new Set(items.map(({ by }) => by))], ["admin"]);
      }
    });
  }
});

Deno.test("a file that somebody broke while changes were unfinished is kept, and reported", async () => {
  await using home = await ToyHome.make();
  let cut: ToyHome | null = null;
  const engine = await home.open({
    crash: (point) => {
      if (point === "change:announced") cut = home.cut();
    },
  });
  await engine.change(putDevice("a"), by);
  await using crashed = cut!;
  await crashed.write(DEVICES, '{"a": {"Name": "x",');
  const again = await crashed.open();
  assert.deepEqual(again.config, engine.config);
  assert.ok(crashed.files().includes(`${DEVICES}.rejected`));
  assert.deepEqual(await crashed.openNotices(), ["config-rejected"]);
});

Deno.test("what cannot be read in the place of a file before its sync holds up no mark", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open({
    crash: (point) => {
      if (point !== "change:announced") return;
      Deno.removeSync(home.path(DEVICES));
      Deno.symlinkSync("devices.json", home.path(DEVICES));
    },
  });
  await engine.change(putDevice("a"), by);
  await engine.tick();
  const { rows } = await home.db.$client.execute("SELECT state FROM changes");
  assert.deepEqual(rows.map(({ state }) => state), ["written"]);
});

Deno.test("a power cut that takes the pending row leaves nothing of the change", async () => {
  await using home = await ToyHome.make();
  const stores: ToyHome[] = [], cuts: ToyHome[] = [];
  let waits = false;
  const engine = await home.open({
    crash: (point) => {
      if (!waits) return;
      if (point === "change:planned") stores.push(home.cut());
      else if (/^(journal:pending|files:staged|kernel)/.test(point)) cuts.push(home.cut());
    },
  });
  await engine.change(putDevice("a"), by);
  waits = true;
  await engine.change(putDevice("b", { Open: true }), by);
  await using before = stores[0]!;
  assert.ok(cuts.length >= 3);
  for (const cut of cuts) {
    await using crashed = cut;
    // The rows were written and not synced: the disk has the store as it was.
    for (const file of Deno.readDirSync(join(before.folder, "state"))) {
      if (!file.isFile) continue;
      const part = (of: ToyHome) => join(of.folder, "state", file.name);
      await Deno.copyFile(part(before), part(crashed));
    }
    const again = await crashed.open();
    assert.deepEqual(Object.keys(again.config.devices), ["a"]);
    assert.deepEqual(crashed.files(), [DEVICES]);
    assert.deepEqual((await again.history.list(10)).items.map(({ kind }) => kind), ["device.put"]);
    assert.deepEqual(await crashed.openNotices(), []);
  }
});

Deno.test("what is written right behind a pending row is synced again", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const client = home.db.$client;
  const modes: number[] = [];
  const execute = client.execute.bind(client);
  const note = async () => {
    const { rows } = await execute("PRAGMA synchronous");
    modes.push(Number(rows[0]![0]));
  };
  const writes = Array.from({ length: 20 }, (_, n) => engine.change(putDevice(`d${n}`), by));
  const notes = Array.from({ length: 200 }, async (_, turn) => {
    for (let left = turn; left > 0; left--) await Promise.resolve();
    await note();
  });
  await Promise.all([...writes, ...notes]);
  assert.deepEqual([...new Set(modes)], [2], "FULL (sqlite.org/pragma.html#pragma_synchronous)");
});
