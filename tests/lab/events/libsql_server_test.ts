import assert from "node:assert/strict";
import { libsqlProgram, type LibsqlServer, startLibsql } from "../../kit/events/libsql_server.ts";
import { eventually } from "../../kit/eventually.ts";
import { answered, freePort, inFolder, startProgram } from "../../kit/process.ts";

const PASSWORD = "correct horse battery";
const program = await libsqlProgram();
// deno-lint-ignore no-console
if (program === null) console.log("No libSQL server could be downloaded: its test is left out");

Deno.test({
  name: "a real libSQL server has each event once, whatever was away, and metrics say what waits",
  ignore: program === null,
  fn: () => inFolder((folder) => withServer(program!, folder)),
});

async function withServer(path: string, folder: string): Promise<void> {
  const place = { folder: `${folder}/server`, port: freePort() };
  await Deno.mkdir(place.folder);
  let server: LibsqlServer = await startLibsql(path, place);
  const home = `${folder}/router`;
  await Deno.mkdir(home);
  const start = () =>
    startProgram({
      home,
      environment: {
        SLUICE_ADMIN_PASSWORD: PASSWORD,
        SLUICE_DATABASE: server.url,
        SLUICE_DATABASE_TOKEN: server.token,
      },
    });
  let router = start();
  const get = (path: string, method = "GET", body?: unknown): Promise<Response> =>
    fetch(`${router.url}${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`admin:${PASSWORD}`)}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const metrics = async () => await (await get("/metrics")).text();
  const numbers = async (): Promise<readonly number[]> =>
    (await server.rows("SELECT data FROM router_events WHERE topic = 'of:tests' ORDER BY id"))
      .map(([data]) => JSON.parse(data!).n);
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
  try {
    await answered(router);
    const settings = await (await get("/plugins/db/config")).json();
    const stored = { ...settings, SaveEvents: ["of:"] };
    assert.equal((await get("/plugins/db/config", "PUT", stored)).status, 200);
    await publish(home, 0, 700);
    await eventually("it has them", async () => assert.deepEqual(await numbers(), upTo(700)));
    const found = await get(
      "/plugins/db/items/of:tests?source=server&num=1000&filter=" +
        encodeURIComponent("$[?(@.n>=690)]"),
    );
    assert.equal((await found.json() as unknown[]).length, 10);
    const hook = {
      name: "hook",
      kind: "webhook",
      url: "https://hooks.example/",
      secret: "a secret of the hook",
    };
    assert.equal((await get("/alerts/channels", "PUT", hook)).status, 200);
    await eventually("all is well", async () => {
      const text = await metrics();
      assert.match(text, /^sluice_history_server_up 1$/m);
      assert.match(text, /^sluice_history_events_waiting 0$/m);
      assert.match(text, /^sluice_alert_messages_waiting\{channel="[^"]+",kind="webhook"\} 0$/m);
    });
    await server.stop();
    await publish(home, 700, 300);
    await eventually("events wait", async () => {
      const text = await metrics();
      assert.match(text, /^sluice_history_server_up 0$/m);
      assert.ok(Number(/^sluice_history_events_waiting (\d+)$/m.exec(text)?.[1]) >= 300);
    });
    await router.stop("SIGKILL");
    server = await startLibsql(path, place);
    router = start();
    await answered(router);
    await eventually("it has them", async () => assert.deepEqual(await numbers(), upTo(1000)));
    assert.ok(!router.log().includes(server.token), "the token is in no log");
  } finally {
    await router.stop();
    await server.stop();
  }
}

/** Publishes numbered events by the socket for programs. */
async function publish(home: string, from: number, count: number): Promise<void> {
  using socket = await Deno.connect({
    transport: "unix",
    path: `${home}/state/api/eventbus.sock`,
  });
  const lines = Array.from(
    { length: count },
    (_, n) => JSON.stringify({ topic: "of:tests", value: JSON.stringify({ n: from + n }) }) + "\n",
  );
  const bytes = new TextEncoder().encode(lines.join(""));
  for (let sent = 0; sent < bytes.length;) sent += await socket.write(bytes.subarray(sent));
}
