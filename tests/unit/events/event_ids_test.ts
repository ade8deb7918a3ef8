import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { openEventIds } from "../../../system/events/event_ids.ts";
import { eventually } from "../../kit/eventually.ts";
import { inFolder } from "../../kit/process.ts";

Deno.test("ids are reserved before they are used up, again after a failure, and never twice", () =>
  inFolder(async (folder) => {
    const path = `${folder}/ids/next`;
    const failures: unknown[] = [];
    const open = () =>
      openEventIds(path, { now: () => 0, failed: (error) => failures.push(error) });
    const reserved = async (): Promise<number> => Number(await Deno.readTextFile(path));
    await Deno.mkdir(`${folder}/ids`);
    const { first, follow } = await open();
    assert.deepEqual([first, await reserved()], [0, 1_000_000]);
    const bus = new Bus(() => 0, first);
    const end = follow(bus);
    bus.publish("of:tests", null);
    assert.equal(await reserved(), 1_000_000, "half of them are left");
    await Deno.rename(`${folder}/ids`, `${folder}/away`);
    await Deno.writeTextFile(`${folder}/ids`, "a file in its place");
    bus.continueAfter(600_000);
    bus.publish("of:tests", null);
    await eventually("it failed", () => assert.equal(failures.length, 1));
    await Deno.remove(`${folder}/ids`);
    await Deno.rename(`${folder}/away`, `${folder}/ids`);
    bus.publish("of:tests", null);
    await eventually("it is reserved", async () => assert.equal(await reserved(), 2_000_000));
    end();
    bus.continueAfter(1_900_000);
    bus.publish("of:tests", null);
    assert.equal((await open()).first, 2_000_000, "a start goes on above all of them");
  }));

Deno.test("ids that are being reserved at the end are on the disk when it is over", () =>
  inFolder(async (folder) => {
    const path = `${folder}/ids`;
    const now = () => 1_800_000_000_000;
    const ids = await openEventIds(path, { now, failed: (error) => assert.fail(String(error)) });
    const reserved = Number(await Deno.readTextFile(path));
    const bus = new Bus(now, ids.first);
    const stop = ids.follow(bus);
    bus.continueAfter(reserved - 1);
    bus.publish("devices", {});
    await stop();
    assert.ok(Number(await Deno.readTextFile(path)) > reserved);
  }));
