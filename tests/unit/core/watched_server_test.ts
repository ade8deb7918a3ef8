import assert from "node:assert/strict";
import { join } from "node:path";
import { listenerWatch } from "../../../system/core/ipc/watched_server.ts";

const PROGRAM = new URL("../../kit/programs/out_of_descriptors.ts", import.meta.url).pathname;

Deno.test("a unix socket whose listener died of missing descriptors answers again, and a log line says so", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "socket");
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      'ulimit -n 100; exec "$@"',
      "sh",
      Deno.execPath(),
      "run",
      "-A",
      "--no-check",
      PROGRAM,
      path,
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  try {
    let output = "";
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (word: string): Promise<void> => {
      while (!output.includes(word)) {
        const { done, value } = await lines.read();
        assert.ok(!done, `ended before "${word}": ${output}`);
        output += value;
      }
    };
    await until("ready");
    await child.stdin.close();
    await until("exhausted");
    // Accepted or reset, it wakes the accept loop.
    await Deno.connect({ transport: "unix", path }).then((one) => one.close(), () => {});
    await until("back");
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    const init: RequestInit & { client: Deno.HttpClient } = { client };
    assert.equal(await (await fetch("http://localhost/", init)).text(), "ok");
    await lines.cancel();
  } finally {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a listener that died is logged and reported as a notice", async () => {
  const events: unknown[] = [];
  const silent = () => {};
  const watch = listenerWatch(
    {
      debug: silent,
      info: silent,
      warn: silent,
      error: (event) => void events.push(event),
    },
    () => ({
      open: (kind, _detail, data) => Promise.resolve(void events.push(kind, data)),
      settle: () => Promise.resolve(),
    }),
  );
  await watch.died("dns/apisock", new Error("Too many open files"));
  assert.deepEqual(events, [
    "http.listener_died",
    "listener-died",
    { subject: "dns/apisock" },
  ]);
});
