import assert from "node:assert/strict";
import { join } from "node:path";
import { controlClient } from "../../../system/core/process/control.ts";
import { PROCESSES, sockets } from "../../../system/processes.ts";
import { answered, inFolder, type Program, runs, startProgram, until } from "../../kit/process.ts";
import { socketFiles } from "../../kit/sockets/sockets.ts";
import { stubRoot } from "../../kit/fakes/stub_root.ts";

interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly password: string | null;
  readonly environment: string | null;
}

async function processInfo(program: Program): Promise<ProcessInfo> {
  await answered(program);
  return await (await fetch(program.url)).json();
}

/** A launcher with a stub for the api, in a folder that is gone afterwards. */
async function launched(
  work: (program: Program, home: string, root: string) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  await inFolder(async (folder) => {
    const root = await stubRoot(folder);
    const home = join(folder, "home");
    await using program = startProgram({ home, root, environment });
    await work(program, home, root);
  });
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} stops everything, with status 0 and no socket left`, async () => {
    await launched(async (program, home) => {
      const { pid } = await processInfo(program);
      const { code } = await program.stop(signal);
      assert.equal(code, 0, program.log());
      assert.equal(await runs(pid), false);
      assert.deepEqual(await socketFiles(join(home, "state")), []);
    });
  });
}

Deno.test("a stop does not wait for a client that keeps a request to the launcher's socket open", async () => {
  await launched(async (program, home) => {
    await answered(program);
    using slow = await Deno.connect({ transport: "unix", path: sockets(home).launcher });
    const head = "POST /processes/api/start HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";
    await slow.write(new TextEncoder().encode(head));
    const { code } = await program.stop("SIGTERM");
    assert.equal(code, 0, program.log());
    assert.doesNotMatch(program.log(), /took too long/);
    assert.deepEqual(await socketFiles(join(home, "state")), []);
  });
});

Deno.test("a second Sluice on the same home is refused with the home's name", async () => {
  await launched(async (program, home, root) => {
    await answered(program);
    await using second = startProgram({ home, root });
    const { code } = await second.status;
    assert.equal(code, 78);
    assert.match(second.log(), /Another Sluice is running on .*home/);
    assert.equal((await answered(program)).status, 200);
  });
});

Deno.test({
  name: "a child of root has the capabilities of its unit, and can gain none",
  ignore: Deno.uid() !== 0,
  fn: () =>
    launched(async (program) => {
      const { pid, parent } = await processInfo(program);
      assert.equal(parent, program.pid);
      const status = await Deno.readTextFile(`/proc/${pid}/status`);
      const bind = "0000000000000400";
      for (const set of ["CapPrm", "CapEff", "CapBnd"]) {
        assert.match(status, new RegExp(`^${set}:\\s+${bind}$`, "m"), "CAP_NET_BIND_SERVICE");
      }
      assert.match(status, /^NoNewPrivs:\s+1$/m);
    }),
});

Deno.test("a killed api is started again", async () => {
  await launched(async (program) => {
    const { pid } = await processInfo(program);
    Deno.kill(pid, "SIGKILL");
    await until("the killed api is gone", async () => !await runs(pid));
    const again = await processInfo(program);
    assert.notEqual(again.pid, pid);
    assert.equal(again.password, "correct horse battery");
  });
});

Deno.test("children end when the launcher was killed, and the home is free at once", async () => {
  await launched(async (program, home, root) => {
    const { pid } = await processInfo(program);
    await program.stop("SIGKILL");
    await until("the orphan ends", async () => !await runs(pid));
    await using next = startProgram({ home, root });
    assert.equal((await answered(next)).status, 200);
  });
});

Deno.test("the api gets the password without it standing in any environment or command line", async () => {
  await launched(async (program) => {
    const { pid, password, environment } = await processInfo(program);
    assert.equal(password, "correct horse battery");
    assert.equal(environment, null);
    for (const file of ["environ", "cmdline"]) {
      assert.doesNotMatch(await Deno.readTextFile(`/proc/${pid}/${file}`), /correct horse/);
    }
    assert.doesNotMatch(program.log(), /correct horse/);
  });
});

Deno.test("an api that cannot listen ends the start with its sentence and no retry", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const environment = { SLUICE_HTTP: `127.0.0.1:${taken.addr.port}` };
  await launched(async (program) => {
    const { code } = await program.status;
    assert.equal(code, 78);
    assert.equal(program.log().match(/set SLUICE_HTTP/g)?.length, 1, program.log());
    assert.doesNotMatch(program.log(), /\bat file:/);
  }, environment);
});

Deno.test("a wrong setting ends the start with its name", async () => {
  await launched(async (program) => {
    assert.equal((await program.status).code, 78);
    assert.match(program.log(), /SLUICE_NETWORK: Write auto, on or off/);
  }, { SLUICE_NETWORK: "maybe" });
});

Deno.test("the launcher's socket lists, stops, starts and restarts what is in the table", async () => {
  await launched(async (program, home) => {
    const { pid } = await processInfo(program);
    const control = controlClient(sockets(home).launcher);
    const states = (await control.list()).map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual(
      states,
      PROCESSES.map(({ name }) => `${name} ${name === "api" ? "running" : "stopped"}`),
    );
    const restarted = await control.restart("api");
    assert.notEqual(restarted.pid, pid);
    assert.equal((await control.stop("api")).state, "stopped");
    assert.equal((await control.start("api")).state, "running");
    assert.equal((await processInfo(program)).parent, program.pid);
  });
});

Deno.test("the launcher's socket refuses names outside the table and is closed to others", async () => {
  await launched(async (program, home) => {
    await answered(program);
    const path = sockets(home).launcher;
    const options = {
      method: "POST",
      client: Deno.createHttpClient({ proxy: { transport: "unix", path } }),
    };
    using _client = options.client;
    const response = await fetch("http://127.0.0.1/processes/sh/start", options);
    assert.equal(response.status, 404);
    await response.body?.cancel();
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o660);
  });
});
