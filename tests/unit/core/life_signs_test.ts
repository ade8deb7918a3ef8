import assert from "node:assert/strict";
import { LifeWatch } from "../../../system/core/process/life_signs.ts";
import { startWatchdog } from "../../../system/core/process/watchdog.ts";
import { inFolder } from "../../kit/process.ts";
import { PROCESSES } from "../../../system/processes.ts";

Deno.test("a process is stuck after so many looks without a sign, once, and not before its first", () => {
  const life = new LifeWatch(3);
  const looks = (): boolean[] => [life.look(), life.look(), life.look(), life.look()];
  assert.deepEqual(looks(), [false, false, false, false], "it has not begun");
  life.sign();
  assert.deepEqual(looks(), [false, false, true, false]);
  life.sign();
  assert.deepEqual([life.look(), life.look()], [false, false]);
  life.sign();
  assert.deepEqual(looks(), [false, false, true, false]);
});

Deno.test("dnsd is ended within ten seconds", () => {
  const { maxSilence } = PROCESSES.find(({ name }) => name === "dnsd")!;
  assert.ok(maxSilence !== undefined && maxSilence < 10);
});

Deno.test("systemd is given how long to wait for a sign of life, and given signs in time", async () => {
  await inFolder(async (folder) => {
    const to = `${folder}/notify`, own = `${folder}/own`;
    const systemd = Deno.listenDatagram({ transport: "unixpacket", path: to });
    const received = async (): Promise<string> => {
      const [bytes] = await systemd.receive();
      return new TextDecoder().decode(bytes);
    };
    // As a process that was killed leaves it.
    await Deno.writeTextFile(own, "");
    const stop = startWatchdog({ own, to, seconds: 0.04 });
    assert.equal(await received(), "WATCHDOG_USEC=40000\nWATCHDOG=1");
    assert.equal(await received(), "WATCHDOG=1");
    assert.equal(await received(), "WATCHDOG=1");
    stop();
    systemd.close();
  });
});

Deno.test("where systemd takes no signs, giving them disturbs nothing", async () => {
  await inFolder(async (folder) => {
    const { promise: later, resolve } = Promise.withResolvers<void>();
    const stop = startWatchdog({ own: `${folder}/own`, to: `${folder}/nothing`, seconds: 0.04 });
    setTimeout(resolve, 50);
    await later;
    stop();
    assert.throws(() => startWatchdog({ own: `${folder}/missing/own` }));
  });
});
