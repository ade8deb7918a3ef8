import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { Problem } from "../../../../system/core/errors/problem.ts";
import { ADMIN, putDevice, putRules, statusOf, ToyHome } from "../../../kit/fakes/toy_engine.ts";

const WRITER = fileURLToPath(new URL("../../../kit/programs/toy_writer.ts", import.meta.url));

Deno.test("kill -9 at any moment loses no answered change and leaves no half file", async () => {
  await using home = await ToyHome.make();
  let answered = -1;
  for (const patience of [1, 7, 20]) {
    const before = answered;
    answered = Math.max(answered, await writeUntilKilled(home.folder, before + patience));
    const engine = await home.open();
    const stored = Object.keys(engine.config.devices);
    for (let number = 0; number <= answered; number++) assert.ok(stored.includes(`d${number}`));
    assert.deepEqual(await home.read("devices/devices.json"), engine.config.devices);
    assert.deepEqual([...home.host.open].sort(), stored.sort());
    assert.deepEqual(home.files(), ["devices/devices.json"]);
    assert.deepEqual(await home.openNotices(), []);
    await home.close();
  }
});

/** Answers the greatest number that was answered before the process was killed, at `enough` or later. */
async function writeUntilKilled(folder: string, enough: number): Promise<number> {
  await using writer = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", WRITER, folder],
    stdout: "piped",
  }).spawn();
  let text = "";
  let killed = false;
  const numbers = (): number[] => text.split("\n").slice(0, -1).map(Number);
  for await (const chunk of writer.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    // What it had written already is still read afterwards: those changes were answered, too.
    if (killed || Math.max(-1, ...numbers()) < enough) continue;
    killed = true;
    writer.kill("SIGKILL");
  }
  await writer.status;
  return Math.max(...numbers());
}

/** What may happen to a router, in any order. */
const happening = fc.oneof(
  fc.record({
    kind: fc.constant("put" as const),
    names: fc.subarray(["a", "b", "c", "d"], { minLength: 1 }),
    Open: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("rules" as const), names: fc.subarray(["x", "y", "z"]) }),
  fc.record({ kind: fc.constant("undo" as const), back: fc.nat(4) }),
  fc.record({ kind: fc.constant("refuse" as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("restart" as const) }),
  fc.record({ kind: fc.constant("time" as const) }),
);

Deno.test("whatever happens, file, kernel and answer are the same state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 14 }), async (happenings) => {
      await using home = await ToyHome.make();
      let engine = await home.open();
      for (const what of happenings) {
        if (what.kind === "put") {
          await Promise.all(
            what.names.map((name) =>
              statusOf(engine.change(putDevice(name, { Open: what.Open }), { caller: ADMIN }))
            ),
          );
        } else if (what.kind === "rules") {
          await statusOf(engine.change(putRules(...what.names), { caller: ADMIN }));
        } else if (what.kind === "undo") {
          const change = (await engine.history.list(5)).items[what.back];
          if (change) await statusOf(engine.undo(change.id, { caller: ADMIN }));
        } else if (what.kind === "refuse") {
          let left = what.times;
          home.host.refuse = () => {
            if (left-- > 0) throw new Problem(502, "nft: refused");
          };
        } else if (what.kind === "restart") engine = await home.open();
        else {
          home.clock += 100;
          await engine.tick();
        }
      }
      home.host.refuse = () => {};
      home.clock += 100;
      await engine.tick();
      assert.equal(engine.network.state, "applied");
      const { devices, rules } = engine.config;
      const open = Object.keys(devices).filter((name) => devices[name]!.Open);
      assert.deepEqual([...home.host.open].sort(), open.sort());
      // Rules that an undo brought back may have the port of another.
      const ports = [...new Set(rules.map((rule) => String(rule.Port)))].sort();
      assert.deepEqual([...home.host.ports].sort(), ports);
      const tag = engine.etag("devices");
      const again = await home.open();
      assert.deepEqual(again.config, { devices, rules });
      assert.equal(again.etag("devices"), tag);
      for (const name of home.files()) assert.match(name, /\/(devices|rules)\.json$/);
    }),
    { numRuns: 40 },
  );
});
