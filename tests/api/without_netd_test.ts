import assert from "node:assert/strict";
import { start } from "../../routes/services/api.ts";
import { prepareHome } from "../../system/core/home.ts";
import { parseSettings } from "../../system/core/settings.ts";
import { sockets } from "../../system/core/processes.ts";
import { freePort, inFolder, ROOT } from "../kit/process.ts";

const AUTHORIZATION = `Basic ${btoa("admin:correct horse battery")}`;

async function firstStart(home: string): Promise<void> {
  const http = `127.0.0.1:${freePort()}`;
  const settings = parseSettings({
    SLUICE_HOME: home,
    SLUICE_HTTP: http,
    SLUICE_NETWORK: "on",
    SLUICE_ADMIN_PASSWORD: "correct horse battery",
  }, { root: ROOT, attached: false });
  const before = performance.now();
  const running = await start(settings);
  try {
    const answer = await fetch(`http://${http}/status`, {
      headers: { authorization: AUTHORIZATION },
    });
    assert.equal(await answer.json(), "Online");
    assert.ok(performance.now() - before < 4000, "nobody waited for netd");
  } finally {
    const stopping = performance.now();
    await running.stop();
    assert.ok(performance.now() - stopping < 3500, "nor does the stop");
  }
}

Deno.test("a first start makes its admin and answers although netd is not there", async () => {
  await inFolder(async (home) => {
    await prepareHome(ROOT, home);
    await firstStart(home);
  });
});

Deno.test("a first start makes its admin and answers although netd is stuck", async () => {
  await inFolder(async (home) => {
    await prepareHome(ROOT, home);
    const stuck = Deno.listen({ transport: "unix", path: sockets(home).netd });
    await firstStart(home);
    stuck.close();
  });
});
