import assert from "node:assert/strict";
import { ADMIN, putDevice, putRules, ToyHome } from "../../kit/fakes/toy_engine.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { until } from "../../kit/process.ts";

const by = { caller: ADMIN };
const device = (Name: string) => ({ Name, Open: true, Psk: "" });

Deno.test("a file that was edited while nothing ran is a change by file", async () => {
  await using home = await ToyHome.make();
  await (await home.open()).change(putDevice("a"), by);
  await home.close();
  await home.write("devices/devices.json", { b: device("b") });
  const engine = await home.open();
  assert.deepEqual(Object.keys(engine.config.devices), ["b"]);
  assert.deepEqual([...home.host.open], ["b"]);
  assert.equal((await engine.history.list(1)).items[0]!.by, "file");
  assert.deepEqual(await home.read("devices/devices.json"), { b: device("b") });
});

Deno.test("a file that cannot be used is kept, and the active configuration stays", async () => {
  const deep = `{"b": {"Name": "b", "More": ${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
  for (const broken of ["", "{", "[1, 2]", deep]) {
    await using home = await ToyHome.make();
    await (await home.open()).change(putDevice("a", { Open: true }), by);
    await home.close();
    await home.write("devices/devices.json", broken);
    const engine = await home.open();
    assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
    assert.equal(await Deno.readTextFile(home.path("devices/devices.json.rejected")), broken);
    assert.deepEqual(await home.read("devices/devices.json"), engine.config.devices);
    assert.deepEqual(await home.openNotices(), ["config-rejected"]);
  }
});

Deno.test("an entry that the API would refuse is kept in the file, not applied and reported", async () => {
  await using home = await ToyHome.make();
  await home.write("devices/devices.json", { a: device("a"), bad: { Name: 7 } });
  const engine = await home.open();
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
  assert.deepEqual(await home.openNotices(), ["config-entries-rejected"]);
  await engine.change(putDevice("c"), by);
  const file = await home.read("devices/devices.json") as Record<string, unknown>;
  assert.deepEqual(file.bad, { Name: 7 });
  const again = await home.open();
  assert.deepEqual((await again.history.list(10)).items.map((item) => item.by), ["admin"]);
  await again.change(putDevice("bad", { Name: "good" }), by);
  const healed = await home.open();
  assert.equal(healed.config.devices.bad!.Name, "good");
  assert.deepEqual(await home.openNotices(), []);
});

Deno.test("an edit that the kernel refuses is rejected and the file restored", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putRules("r"), by);
  home.host.refuse = (step) => {
    if (step.kind === "ruleset") throw new Problem(502, "nft: refused");
  };
  await home.write("base/rules.json", [{ Name: "r", Port: 9 }]);
  await engine.adoptEditedFiles();
  assert.equal(engine.config.rules[0]!.Port, 1);
  assert.deepEqual(await home.read("base/rules.json"), [{ Name: "r", Port: 1 }]);
  assert.match(await Deno.readTextFile(home.path("base/rules.json.rejected")), /9/);
});

Deno.test("an edit made just before a change is taken in, not overwritten", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), by);
  await home.write("devices/devices.json", { a: device("edited") });
  await engine.change(putDevice("b"), by);
  assert.equal(engine.config.devices.a!.Name, "edited");
  assert.ok(engine.config.devices.b);
  assert.deepEqual((await engine.history.list(10)).items.map((item) => item.by), [
    "admin",
    "file",
    "admin",
  ]);
});

Deno.test("an edit of a running router's file takes force, and our own writes are no edits", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open({ live: true });
  await engine.change(putRules("r"), by);
  await home.write("base/rules.json", [{ Name: "r", Port: 9 }]);
  await until("the edit takes force", () => engine.config.rules[0]!.Port === 9);
  await home.write("base/rules.json", "[");
  await until("it is rejected", () => home.files().includes("base/rules.json.rejected"));
  await until("the file is put right", async () => {
    const file = await home.read("base/rules.json").catch(() => null);
    return JSON.stringify(file) === '[{"Name":"r","Port":9}]';
  });
  assert.equal((await engine.history.list(10)).items.length, 2);
});

Deno.test("the words about a broken file hold nothing of what stands in it", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), { caller: ADMIN });
  await home.write("devices/devices.json", '{"a": {"Psk": s3cretpsk }}');
  await engine.adoptEditedFiles();
  const notices = (await home.notices.list({ limit: 10 })).items;
  assert.deepEqual(notices.map(({ kind }) => kind), ["config-rejected"]);
  assert.doesNotMatch(JSON.stringify(notices), /s3cret/);
  assert.match(JSON.stringify(notices), /not JSON/);
});

Deno.test("a folder of people's files that is a file now fails a write in words, and is put right", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), by);
  const folder = home.path("devices");
  await Deno.rename(folder, `${folder}.away`);
  await Deno.writeTextFile(folder, "no folder");
  const refused = await engine.change(putDevice("b"), by).catch((error) => error);
  assert.ok(refused instanceof Problem, String(refused));
  assert.equal(refused.status, 500);
  assert.match(refused.message, /could not be written|cannot be looked at/);
  assert.deepEqual(Object.keys(engine.config.devices), ["a"], "nothing of it stands");
  await Deno.remove(folder);
  await Deno.rename(`${folder}.away`, folder);
  await engine.change(putDevice("b"), by);
  assert.deepEqual(Object.keys(await home.read("devices/devices.json") as object), ["a", "b"]);
});

/** What stands in a file's place that no reading of it can follow: of tests run as root, modes do not. */
const IN_PLACE = {
  folder: (path: string) => Deno.mkdir(path),
  "loop of links": (path: string) => Deno.symlink(path, path),
};

for (const [what, put] of Object.entries(IN_PLACE)) {
  Deno.test(`a ${what} in a document's place keeps nobody from starting, is reported, and gives way`, async () => {
    await using home = await ToyHome.make();
    await (await home.open()).change(putDevice("a", { Open: true }), by);
    await home.close();
    const path = home.path("devices/devices.json");
    await Deno.remove(path);
    await put(path);
    let engine = await home.open();
    assert.deepEqual(Object.keys(engine.config.devices), ["a"], "the last good state");
    assert.deepEqual([...home.host.open], ["a"]);
    const [notice] = (await home.notices.list({ limit: 10 })).items;
    assert.equal(notice?.kind, "config-unreadable");
    assert.match(notice.detail, /configs\/devices\/devices\.json cannot be read.*chown/s);

    // Put right by hand: the file decides again, at once.
    await Deno.remove(path);
    await home.write("devices/devices.json", { a: device("a"), b: device("b") });
    await engine.tick();
    assert.deepEqual(Object.keys(engine.config.devices), ["a", "b"]);
    assert.deepEqual(await home.openNotices(), []);

    // Without being put right: devices that join later are served all the same, and what lay there is kept.
    await Deno.remove(path);
    await put(path);
    await engine.change(putDevice("c"), by);
    engine = await home.open();
    assert.deepEqual(Object.keys(engine.config.devices), ["a", "b", "c"]);
    assert.deepEqual(await home.read("devices/devices.json"), engine.config.devices);
    await Deno.lstat(`${path}.rejected`);
  });
}

Deno.test("what was observed and cannot be read keeps nobody from starting", async () => {
  await using home = await ToyHome.make();
  await (await home.open()).change(putDevice("a"), by);
  await home.close();
  await Deno.remove(`${home.folder}/state/devices`, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${home.folder}/state/devices/observed.json`, { recursive: true });
  assert.deepEqual(Object.keys((await home.open()).config.devices), ["a"]);
});

Deno.test("JSON of another shape is no edit, and an empty record is one", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), by);
  await home.write("devices/devices.json", { x: 1 });
  await engine.adoptEditedFiles();
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
  assert.deepEqual(await home.openNotices(), ["config-rejected"]);
  assert.equal(await Deno.readTextFile(home.path("devices/devices.json.rejected")), '{"x":1}');
  assert.deepEqual(await home.read("devices/devices.json"), engine.config.devices);
  await home.write("devices/devices.json", {});
  await engine.adoptEditedFiles();
  assert.deepEqual(engine.config.devices, {});
});
