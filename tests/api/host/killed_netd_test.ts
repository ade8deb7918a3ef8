import assert from "node:assert/strict";
import { netdClient } from "../../../system/host/kernel/netd_client.ts";

/** A netd that answers anything, as a process that can be killed. */
const KILLED = `
  const [path] = Deno.args;
  try { Deno.removeSync(path); } catch { /* It is the first. */ }
  Deno.serve({ path, onListen: () => console.log("listens") }, () => Response.json([]));
`;

Deno.test("a call after netd was killed reaches the one that took its place", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-netd-" });
  const path = `${folder}/netd.sock`;
  await Deno.writeTextFile(`${folder}/killed.ts`, KILLED);
  const client = netdClient(path);
  for (let turn = 0; turn < 4; turn++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-lock", `${folder}/killed.ts`, path],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    assert.deepEqual(await client.inspect({ kind: "tables" }), []);
    assert.deepEqual(await client.inspect({ kind: "tables" }), []);
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
  }
  await client.close();
  await Deno.remove(folder, { recursive: true });
});
