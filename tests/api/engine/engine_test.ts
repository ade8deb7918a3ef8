import assert from "node:assert/strict";
import type { Command } from "../../../system/core/engine/change.ts";
import type { KernelStep } from "../../../system/core/kernel/plan.ts";
import { conflict, Problem } from "../../../system/core/errors/problem.ts";
import { files } from "../../../system/core/config/files.ts";
import { ADMIN, putDevice, putRules, statusOf, ToyHome } from "../../kit/fakes/toy_engine.ts";
import type { ToyConfig } from "../../kit/fakes/toy_schema.ts";
import { flowOf, ToyHost } from "../../kit/fakes/toy_kernel.ts";
import { until } from "../../kit/process.ts";

const by = { caller: ADMIN };

Deno.test("a change is in the file, in the kernel and in the journal when it is answered", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const outcome = await engine.change(putDevice("a", { Open: true, Psk: "correct horse" }), by);
  assert.deepEqual(await home.read("devices/devices.json"), {
    a: { Name: "", Open: true, Psk: "correct horse" },
  });
  assert.deepEqual([...home.host.open], ["a"]);
  const detail = await engine.history.get(outcome.id!);
  assert.equal(detail.summary, "Put a");
  assert.deepEqual(detail.system, ["add-elements a"]);
  assert.deepEqual(detail.patch, [{
    document: "devices",
    path: ["a"],
    after: { Name: "", Open: true, Psk: "(hidden)" },
  }]);
  assert.deepEqual(
    home.events.map(({ topic, data }) => [topic, (data as { keys?: unknown }).keys]),
    [["network", undefined], ["devices", ["a"]], ["audit", undefined], ["changes", undefined]],
  );
  assert.equal((await Deno.stat(home.path("devices/devices.json"))).mode! & 0o777, 0o600);
});

Deno.test("a change that changes nothing touches nothing", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), by);
  const steps = home.host.steps.length;
  const outcome = await engine.change(putDevice("a"), by);
  assert.equal(outcome.id, null);
  assert.equal(home.host.steps.length, steps);
  assert.equal((await engine.history.list(10)).items.length, 1);
});

Deno.test("a kernel that refuses leaves file, kernel and answer as they were", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  const text = await Deno.readTextFile(home.path("devices/devices.json"));
  home.host.refuse = refuseOnce("ruleset");
  await assert.rejects(
    engine.change(putDevice("b", { Open: true }), by),
    new Problem(502, "nft: refused"),
  );
  assert.deepEqual([...home.host.open], ["a"]);
  assert.equal(await Deno.readTextFile(home.path("devices/devices.json")), text);
  assert.deepEqual(home.files(), ["devices/devices.json"]);
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
  assert.equal((await engine.history.list(10)).items.length, 1);
  assert.equal(engine.network.state, "applied");
});

Deno.test("a step that fails after others took effect takes them back", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  home.host.refuse = refuseOnce("ip");
  const moved = engine.change(putDevice("a", { Open: true }), {
    ...by,
    observe: () => seen("a", "lan1"),
  });
  assert.equal(await statusOf(moved), 502);
  assert.deepEqual([...home.host.open], []);
  assert.deepEqual(engine.observed.devices, {});
});

Deno.test("when the way back fails too, neither state is claimed until the old one stands again", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  home.host.refuse = () => {
    throw new Problem(502, "nft: refused");
  };
  assert.equal(await statusOf(engine.change(putDevice("b", { Open: true }), by)), 502);
  assert.equal(engine.network.state, "broken");
  assert.deepEqual(await home.openNotices(), ["network-broken"]);
  assert.equal((await engine.history.list(1)).items[0]!.state, "broken");
  home.clock += 1;
  await engine.tick();
  assert.equal(engine.network.state, "broken");
  home.host.refuse = () => {};
  home.clock += 60;
  await engine.tick();
  assert.equal(engine.network.state, "applied");
  assert.deepEqual([...home.host.open], ["a"]);
  assert.deepEqual(await home.openNotices(), []);
  assert.equal((await engine.history.list(1)).items[0]!.state, "failed");
});

Deno.test("a disk that is full refuses the change before the kernel moves", async () => {
  await using home = await ToyHome.make();
  const full = {
    ...files,
    stage: () => Promise.reject(new Error("No space left on device (os error 28)")),
  };
  const engine = await home.open({ files: full });
  const steps = home.host.steps.length;
  await assert.rejects(engine.change(putDevice("a", { Open: true }), by), /No space left/);
  assert.equal(home.host.steps.length, steps);
  assert.deepEqual(engine.config.devices, {});
  assert.equal((await engine.history.list(10)).items.length, 0);
});

Deno.test("a commit that cannot be noted takes kernel and files back", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  home.failBatches = true;
  await assert.rejects(engine.change(putDevice("b", { Open: true }), by), /disk I\/O error/);
  home.failBatches = false;
  assert.deepEqual([...home.host.open], ["a"]);
  assert.deepEqual(home.files(), ["devices/devices.json"]);
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
  const again = await home.open();
  assert.deepEqual(Object.keys(again.config.devices), ["a"]);
  assert.equal((await again.history.list(10)).items.length, 1);
});

Deno.test("another kernel takes everything over when it is attached", async () => {
  await using home = await ToyHome.make();
  home.host.kind = "memory";
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  assert.equal(engine.network.state, "model");
  const real = new ToyHost();
  await engine.attach(real);
  assert.equal(engine.network.state, "applied");
  assert.deepEqual([...real.open], ["a"]);
  await engine.change(putDevice("b", { Open: true }), by);
  assert.deepEqual([[...real.open], [...home.host.open]], [["a", "b"], ["a"]]);
});

Deno.test("a file that cannot be put in place follows later, and the change holds", async () => {
  await using home = await ToyHome.make();
  let failing = true;
  const engine = await home.open({
    files: {
      ...files,
      place: (staged) => failing ? Promise.reject(new Error("I/O error")) : files.place(staged),
    },
  });
  await engine.change(putDevice("a", { Open: true }), by);
  assert.deepEqual([...home.host.open], ["a"]);
  assert.deepEqual(await home.openNotices(), ["files-not-written"]);
  await engine.adoptEditedFiles();
  assert.ok(engine.config.devices.a);
  failing = false;
  await engine.tick();
  assert.deepEqual(Object.keys(await home.read("devices/devices.json") as object), ["a"]);
  assert.deepEqual(await home.openNotices(), []);
  await engine.change(putDevice("b"), by);
  await engine.close();
  assert.equal((await (await home.open()).history.list(10)).items[1]!.state, "written");
});

Deno.test("fifty changes at once are each their own revision and nearly one transaction", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const before = home.host.steps.length;
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) => engine.change(putDevice(`d${i}`, { Open: true }), by)),
  );
  assert.equal(new Set(outcomes.map((outcome) => outcome.id)).size, 50);
  assert.equal(home.host.open.size, 50);
  assert.ok(home.host.steps.length - before <= 2);
  assert.equal(Object.keys(await home.read("devices/devices.json") as object).length, 50);
  const detail = await engine.history.get(outcomes[7]!.id!);
  assert.deepEqual(detail.system, ["add-elements d7"]);
});

Deno.test("one bad change among many is refused alone", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  home.host.refuse = (step) => {
    if (step.kind === "ruleset" && JSON.stringify(step).includes('"bad"')) {
      throw new Problem(502, "nft: refused");
    }
  };
  const refused: Command<ToyConfig> = {
    ...putDevice("x"),
    reduce: () => {
      throw conflict("Not this one");
    },
  };
  const statuses = await Promise.all([
    statusOf(engine.change(putDevice("a", { Open: true }), by)),
    statusOf(engine.change(putDevice("bad", { Open: true }), by)),
    statusOf(engine.change(refused, by)),
    statusOf(engine.change(putDevice("b", { Open: true }), by)),
  ]);
  assert.deepEqual(statuses, [200, 502, 409, 200]);
  assert.deepEqual([...home.host.open], ["a", "b"]);
  assert.deepEqual(Object.keys(await home.read("devices/devices.json") as object), ["a", "b"]);
});

Deno.test("an entity tag changes with its document, and a lost update is refused in the queue", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const tag = engine.etag("devices");
  const rules = engine.etag("rules");
  const ifMatch = {
    ...by,
    precondition: (etagOf: (document: string) => string): void => {
      if (etagOf("devices") !== tag) throw new Problem(412, "It has changed");
    },
  };
  const statuses = await Promise.all([
    statusOf(engine.change(putDevice("a"), ifMatch)),
    statusOf(engine.change(putDevice("b"), ifMatch)),
  ]);
  assert.deepEqual(statuses, [200, 412]);
  assert.notEqual(engine.etag("devices"), tag);
  const [one, two] = await Promise.all([
    engine.change(putDevice("c"), by),
    engine.change(putDevice("d"), by),
  ]);
  assert.notEqual(one.etagOf?.("devices"), two.etagOf?.("devices"));
  assert.equal(two.etagOf?.("devices"), engine.etag("devices"));
  assert.equal(engine.etag("rules"), rules);
  assert.match(engine.etag("rules"), /^"[\w-]{22}"$/);
});

Deno.test("connections that lose their permission are cut, others live on", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  await engine.change(putDevice("b", { Open: true }), by);
  home.host.connections = [flowOf("a"), flowOf("b")];
  home.host.failCuts = 1;
  await engine.change(putDevice("a", { Open: false }), by);
  assert.deepEqual(home.host.cuts.map((flow) => flow.source), ["a"]);
  home.host.failCuts = 2;
  await engine.change(putDevice("b", { Open: false }), by);
  assert.deepEqual(await home.openNotices(), ["flows-not-flushed"]);
  assert.deepEqual(home.host.connections.map((flow) => flow.source), ["b"]);
  await engine.tick();
  assert.equal(home.host.connections.length, 1, "tried again after a pause");
  home.clock += 5;
  await engine.tick();
  await until("it is tried again, and over", async () => (await home.openNotices()).length === 0);
  assert.deepEqual(home.host.connections, []);
});

Deno.test("a change that would lock its caller out is refused unless forced or under a window", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("10.0.0.5", { Open: true }), by);
  const connection = { source: "10.0.0.5", destination: "10.0.0.1", port: 80 };
  const caller = { by: "admin", from: "10.0.0.5", connection };
  const close = putDevice("10.0.0.5", { Open: false });
  await assert.rejects(
    engine.change(close, { caller }),
    (error: Problem) => error.status === 409 && "rule" in error.members,
  );
  const preview = await engine.preview(close, { caller });
  assert.equal(preview.reach.own?.after.verdict, "drop");
  assert.equal(engine.config.devices["10.0.0.5"]!.Open, true);
  assert.equal(await statusOf(engine.change(putDevice("x", { Open: true }), { caller })), 200);
  assert.equal(await statusOf(engine.change(close, { caller, force: true })), 200);
});

Deno.test("a guard of a domain refuses, unless forced", async () => {
  await using home = await ToyHome.make();
  const guard = (_: ToyConfig, after: ToyConfig): Problem | null =>
    after.rules.length === 0 ? conflict("Keep one rule") : null;
  const engine = await home.open({ guards: [guard] });
  assert.equal(await statusOf(engine.change(putDevice("a"), by)), 409);
  assert.equal(await statusOf(engine.change(putRules("r"), by)), 200);
  assert.equal(await statusOf(engine.change(putRules(), by)), 409);
  assert.equal(await statusOf(engine.change(putRules(), { ...by, force: true })), 200);
});

Deno.test("a preview moves nothing and shows no secret", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const preview = await engine.preview(putDevice("a", { Open: true, Psk: "correct horse" }), by);
  assert.deepEqual(preview.system, ["add-elements a"]);
  assert.doesNotMatch(JSON.stringify(preview), /horse/);
  assert.deepEqual(engine.config.devices, {});
  assert.deepEqual(home.files(), []);
});

Deno.test("a table of ours that someone else made stops everything until it is taken over", async () => {
  await using home = await ToyHome.make();
  home.host.tables = [{ family: "inet", name: "filter", comment: null }];
  const engine = await home.open();
  assert.equal(engine.network.state, "blocked");
  assert.match(engine.network.detail!, /inet filter/);
  await engine.change(putDevice("a", { Open: true }), by);
  assert.deepEqual(home.host.steps, []);
  assert.deepEqual(await home.openNotices(), ["network-blocked"]);
  await engine.takeOver();
  assert.equal(engine.network.state, "applied");
  assert.deepEqual([...home.host.open], ["a"]);
});

Deno.test("once someone else's table is gone, everything is applied", async () => {
  await using home = await ToyHome.make();
  home.host.tables = [{ family: "inet", name: "filter", comment: null }];
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  home.host.tables = [];
  home.host.emit({ kind: "ruleset" });
  await engine.tick();
  assert.equal(engine.network.state, "applied");
  assert.deepEqual([...home.host.open], ["a"]);
  assert.deepEqual(await home.openNotices(), []);
});

Deno.test("a kernel that does not answer at start is tried again", async () => {
  await using home = await ToyHome.make();
  home.host.failFacts = true;
  const engine = await home.open();
  assert.equal(engine.network.state, "broken");
  assert.equal(await statusOf(engine.change(putDevice("a"), by)), 502);
  home.host.failFacts = false;
  home.clock += 60;
  await engine.tick();
  assert.equal(engine.network.state, "applied");
});

Deno.test("what is seen moves the kernel at once, is written, and is no revision", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const tag = engine.etag("devices");
  await engine.observe(() => seen("a", "lan1"));
  assert.equal(home.host.neighbours.get("a"), "lan1");
  const path = `${home.folder}/state/devices/observed.json`;
  assert.equal(JSON.parse(await Deno.readTextFile(path)).devices.a.link, "lan1");
  await engine.observe((observed) => ({
    devices: { a: { ...observed.devices.a!, lastSeen: 99 } },
  }));
  assert.doesNotMatch(await Deno.readTextFile(path), /99/);
  home.clock += 60;
  await engine.tick();
  assert.match(await Deno.readTextFile(path), /99/);
  assert.equal(engine.etag("devices"), tag);
  assert.equal((await engine.history.list(10)).items.length, 0);
  const again = await home.open();
  assert.equal(again.observed.devices.a!.link, "lan1");
});

Deno.test("tables that vanish are loaded again", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  home.clock += 60;
  await engine.tick();
  home.host.tables = [];
  home.host.open.clear();
  home.host.emit({ kind: "ruleset" });
  await engine.tick();
  assert.deepEqual([...home.host.open], ["a"]);
});

Deno.test("an engine that was closed takes no change and leaves the kernel alone", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  await engine.close();
  assert.equal(await statusOf(engine.change(putDevice("b"), by)), 503);
  assert.deepEqual([...home.host.open], ["a"]);
});

function seen(name: string, link: string) {
  return { devices: { [name]: { firstSeen: 1, lastSeen: 1, link, online: true } } };
}

function refuseOnce(kind: KernelStep["kind"]): (step: KernelStep) => void {
  let done = false;
  return (step) => {
    if (done || step.kind !== kind) return;
    done = true;
    throw new Problem(502, "nft: refused");
  };
}
