import assert from "node:assert/strict";
import { isClockSynchronised, setClock } from "../../system/host/kernel/clock.ts";
import { command } from "../kit/lab/command.ts";

const DAY = 24 * 3600_000;
const UNIT = new URL("../../configs/systemd/sluice-settime@.service", import.meta.url);

/** Milliseconds by which the wall clock has moved against the monotonic one since this was called. */
function watch(): () => number {
  const wall = Date.now(), steady = performance.now();
  return () => Date.now() - wall - (performance.now() - steady);
}

function near(moved: number, by: number): void {
  assert.ok(Math.abs(moved - by) < 5000, `moved by ${moved} ms instead of ${by}`);
}

// Only here is there a clock of one's own: what sets it sets it for a whole machine.
Deno.test("the clock of the machine is set by netd's call, and by the unit of root", async () => {
  assert.equal(await isClockSynchronised(), false);
  const moved = watch();
  try {
    await setClock(Date.now() + 90 * DAY);
    near(moved(), 90 * DAY);
    const line = /^ExecStart=(.*)$/m.exec(await Deno.readTextFile(UNIT))![1]!;
    const [program, ...args] = line.split(" ");
    const back = ((Date.now() - 90 * DAY) / 1000).toFixed(3);
    const { ok, stderr } = await command(program!, args, `${back}\n`);
    assert.ok(ok, stderr);
    assert.equal(stderr, "", "what it says would be an error to the client");
    near(moved(), 0);
    for (const text of ["now; reboot", "1 --set=@2", "$(id)"]) {
      const refused = await command(program!, args, `${text}\n`);
      assert.notEqual(refused.stderr, "", text);
      near(moved(), 0);
    }
  } finally {
    await setClock(Date.now() - moved());
  }
});
