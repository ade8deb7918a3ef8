import assert from "node:assert/strict";
import { SoftAuthenticator } from "../../kit/browser/authenticator.ts";
import { join } from "node:path";
import { sockets } from "../../../system/processes.ts";
import { answered, inFolder, type Program, runs, startProgram, until } from "../../kit/process.ts";
import { socketFiles } from "../../kit/sockets/sockets.ts";

const ADMIN = { authorization: `Basic ${btoa("admin:correct horse battery")}` };

/** The whole program with a home of its own. */
async function started(work: (program: Program, home: string) => Promise<void>): Promise<void> {
  await inFolder(async (home) => {
    await using program = startProgram({ home });
    await answered(program);
    await work(program, home);
  });
}

async function status(program: Program, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${program.url}/devices`, { headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("a first start with a password lets its admin in and nobody else", async () => {
  await started(async (program, home) => {
    assert.equal(await status(program, {}), 401);
    assert.equal(await status(program, ADMIN), 200);
    const users = await Deno.readTextFile(join(home, "configs/auth/auth_users.json"));
    assert.doesNotMatch(users + program.log(), /correct horse/);
  });
});

Deno.test("every socket is closed to others, and gone after a stop with status 0", async () => {
  await started(async (program, home) => {
    const paths = await socketFiles(join(home, "state"));
    assert.ok(paths.length >= 4, paths.join());
    for (const path of paths) {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o660, path);
    }
    assert.equal((await program.stop()).code, 0, program.log());
    assert.doesNotMatch(program.log(), /took too long/);
    assert.deepEqual(await socketFiles(join(home, "state")), []);
  });
});

Deno.test("a stop ends what waits for news: streams, and callers that wait on a socket for changes", async () => {
  await started(async (program, home) => {
    const path = sockets(home).dhcp;
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    const ask = (known: string) =>
      fetch(`http://127.0.0.1/snapshot?known=${known}`, { client } as RequestInit)
        .then((answer) => answer.json());
    const { tag, links } = await ask("");
    const waiting = ask(encodeURIComponent(tag));
    // Over the loopback both have arrived once a later request was answered.
    const stream = await fetch(`${program.url}/events`, { headers: ADMIN });
    const silent = await Deno.connect({ transport: "unix", path });
    assert.equal(await status(program, ADMIN), 200);
    assert.equal((await program.stop()).code, 0);
    silent.close();
    assert.deepEqual((await waiting).links, links);
    assert.match(await stream.text(), /^retry:/);
    assert.doesNotMatch(program.log(), /took too long/);
  });
});

Deno.test("a start after kill -9 finds the admin and its old sockets in nobody's way", async () => {
  await inFolder(async (home) => {
    await using first = startProgram({ home });
    await answered(first);
    await first.stop("SIGKILL");
    await using second = startProgram({ home, environment: { SLUICE_ADMIN_PASSWORD: "" } });
    await answered(second);
    assert.equal(await status(second, ADMIN), 200);
  });
});

Deno.test("a port that is taken ends the start with a sentence that names SLUICE_HTTP", async () => {
  await inFolder(async (home) => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const environment = { SLUICE_HTTP: `127.0.0.1:${taken.addr.port}` };
    await using program = startProgram({ home, environment });
    assert.equal((await program.status).code, 78);
    assert.match(program.log(), /SLUICE_HTTP/);
    assert.doesNotMatch(program.log(), /\bat file:/);
  });
});

Deno.test("the launcher ends with the task that started it, even when that was killed", async () => {
  await inFolder(async (home) => {
    const parent = startProgram({ home, task: true });
    await answered(parent);
    const { pid } = JSON.parse(
      parent.log().split("\n").find((line) => line.includes('"The launcher runs"')) ?? "{}",
    );
    assert.ok(await runs(pid));
    Deno.kill(parent.pid, "SIGKILL");
    await until("the launcher is gone", async () => !await runs(pid));
    await parent.status;
  });
});

Deno.test("a started Sluice has the rights that passkeys need", async () => {
  await started(async (program) => {
    const origin = program.url.replace("127.0.0.1", "localhost");
    const headers = { ...ADMIN, "content-type": "application/json" };
    const begun = await fetch(`${origin}/webauthn/register`, { method: "PUT", headers });
    assert.equal(begun.status, 200);
    const answer = await new SoftAuthenticator().create(await begun.json(), origin);
    const made = await fetch(`${origin}/webauthn/register`, {
      method: "POST",
      headers,
      body: JSON.stringify(answer),
    });
    assert.equal(made.status, 200, await made.text());
  });
});
