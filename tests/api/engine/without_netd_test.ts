import assert from "node:assert/strict";
import { start } from "../../../routes/services/api.ts";
import { prepareHome } from "../../../system/core/config/home.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { SERVICES, sockets, STATE_FOLDERS } from "../../../system/processes.ts";
import { eventually } from "../../kit/eventually.ts";
import { freePort, inFolder, ROOT } from "../../kit/process.ts";

const AUTHORIZATION = `Basic ${btoa("admin:correct horse battery")}`;

async function firstStart(
  home: string,
  meanwhile = (): Promise<void> => Promise.resolve(),
): Promise<void> {
  const http = `127.0.0.1:${freePort()}`;
  const settings = parseSettings({
    SLUICE_HOME: home,
    SLUICE_HTTP: http,
    SLUICE_NETWORK: "on",
    SLUICE_ADMIN_PASSWORD: "correct horse battery",
  }, { root: ROOT, attached: false, services: SERVICES });
  const running = await start(settings);
  try {
    const answer = await fetch(`http://${http}/status`, {
      headers: { authorization: AUTHORIZATION },
    });
    assert.equal(await answer.json(), "Online");
    await meanwhile();
  } finally {
    await running.stop();
  }
}

Deno.test("a first start makes its admin and answers although netd is not there", async () => {
  await inFolder(async (home) => {
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    await firstStart(home);
  });
});

Deno.test("a first start makes its admin and answers although netd is stuck", async () => {
  await inFolder(async (home) => {
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    const stuck = Deno.listen({ transport: "unix", path: sockets(home).netd });
    let givenUp = 0, calls = 0;
    const asking = (async () => {
      for await (const connection of stuck) {
        calls++;
        (async () => {
          while (await connection.read(new Uint8Array(1024)) !== null);
        })().catch(() => {}).finally(() => {
          givenUp++;
          connection.close();
        });
      }
    })();
    await firstStart(home, async () => {
      await eventually("netd is called", () => assert.ok(calls > 0));
      assert.equal(givenUp, 0, "its callers still wait, and the start does not wait for them");
    });
    stuck.close();
    await asking;
    await eventually("all have given up", () => assert.equal(givenUp, calls));
  });
});
