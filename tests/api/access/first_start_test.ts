import assert from "node:assert/strict";
import { join } from "node:path";
import { accessKit, PASSWORD } from "../../kit/access.ts";
import { announcer, decideFirstStart, setupCode } from "../../../system/access/first_start.ts";
import { systemRandom } from "../../../system/access/digest.ts";
import { testRouter } from "../../kit/router.ts";

Deno.test("an admin password from the environment creates the admin and completes the setup", async () => {
  await using kit = await accessKit();
  assert.equal((await kit.request("/devices", { basic: `admin:${PASSWORD}` })).status, 200);
  assert.match(kit.engine.config.users["admin"]!, /^\$pbkdf2-sha256\$600000\$/);
  assert.deepEqual(kit.announced, []);
  const setup = await kit.request("/setup");
  assert.equal(setup.status, 400);
  assert.equal(await setup.text(), "setup already done\n");
  assert.match(setup.headers.get("content-type") ?? "", /^text\/plain/);
  assert.equal((await kit.request("/setup", { method: "PUT" })).status, 401);
  const put = { method: "PUT", basic: `admin:${PASSWORD}` };
  assert.equal((await kit.request("/setup", put)).status, 404);
});

Deno.test("without a password one secret is generated: the admin's password and the setup code", async () => {
  await using kit = await accessKit({ adminPassword: null });
  const [secret] = kit.announced;
  assert.match(secret!, /^([0-9a-hjkmnp-tv-z]{5}-){4}[0-9a-hjkmnp-tv-z]{5}$/);
  assert.deepEqual(await (await kit.request("/setup")).json(), { status: "ok" });
  const put = (bearer: string) => kit.request("/setup", { method: "PUT", bearer });
  assert.equal((await put("wrong")).status, 401);
  assert.equal((await put(secret!)).status, 200);
  assert.equal((await kit.request("/devices", { bearer: secret! })).status, 403);
  assert.equal((await kit.request("/devices", { basic: `admin:${secret}` })).status, 200);
  assert.equal(
    (await kit.request("/setup", { method: "PUT", basic: `admin:${secret}` })).status,
    403,
  );
  await kit.restart();
  assert.equal(kit.announced.length, 1);
  assert.equal((await put(secret!)).status, 200);
  await kit.access.setup.finish();
  assert.equal((await put(secret!)).status, 401);
  assert.equal((await kit.request("/setup")).status, 400);
  await kit.restart();
  assert.equal((await put(secret!)).status, 401);
  assert.ok(!kit.lines.some((line) => line.includes(secret!)));
});

Deno.test("the setup code's file is deleted at the first use of the code", async () => {
  for (const use of ["password", "code"]) {
    await using kit = await accessKit({ adminPassword: null });
    const [secret] = kit.announced;
    const path = join(kit.home, "state/first-start.txt");
    await Deno.writeTextFile(path, secret!);
    await kit.request("/devices", { basic: "admin:wrong" });
    assert.ok((await Deno.stat(path)).isFile);
    await kit.request(
      "/devices",
      use === "code" ? { bearer: secret! } : { basic: `admin:${secret}` },
    );
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }
});

Deno.test("existing users are kept, and their plain-text passwords hashed", async () => {
  await using kit = await accessKit({ users: { admin: "plain text", eve: "other text" } });
  for (const record of Object.values(kit.engine.config.users)) {
    assert.match(record, /^\$pbkdf2-sha256\$/);
  }
  assert.equal((await kit.request("/devices", { basic: "eve:other text" })).status, 200);
  assert.equal((await kit.request("/devices", { basic: `admin:${PASSWORD}` })).status, 401);
  assert.equal((await kit.request("/setup")).status, 400);
  const before = kit.engine.config;
  await kit.restart();
  assert.equal(kit.engine.config, before);
});

Deno.test("a start without users is the first start", () => {
  assert.equal(decideFirstStart({ users: {}, limitedUsers: {} }, null), "made");
  assert.equal(decideFirstStart({ users: {}, limitedUsers: {} }, ""), "made");
  assert.equal(decideFirstStart({ users: {}, limitedUsers: {} }, "x"), "given");
  assert.equal(decideFirstStart({ users: { a: "b" }, limitedUsers: {} }, "x"), "nothing");
  assert.notEqual(setupCode(systemRandom), setupCode(systemRandom));
});

Deno.test("without a terminal the setup code is saved to a file with mode 0600", async () => {
  const home = await Deno.makeTempDir();
  const path = await announcer(home, () => Promise.reject(new Error("no terminal")))("s3cret");
  assert.equal(path, join(home, "state/first-start.txt"));
  const text = await Deno.readTextFile(path!);
  assert.ok(text.startsWith(`This file is ${path}.`));
  assert.match(text, /password s3cret\n$/);
  assert.equal((await Deno.stat(path!)).mode! & 0o777, 0o600);
  await Deno.remove(home, { recursive: true });
});

Deno.test("the first page is given the path of the file with the setup code, while there is one", async () => {
  const home = await Deno.makeTempDir();
  await using router = await testRouter({
    home,
    adminPassword: null,
    access: {
      watch: false,
      announce: announcer(home, () => Promise.reject(new Error("no terminal"))),
    },
  });
  const stage = () => router.json<Record<string, unknown>>("GET", "/auth/stage", { as: null });
  const codeFile = join(home, "state/first-start.txt");
  assert.deepEqual(await stage(), {
    ...{ stage: "setup", user: "", role: null, open: true },
    ...{ passwordSet: false, codeFile },
  });
  assert.ok((await Deno.readTextFile(codeFile)).includes(`This file is ${codeFile}.`));
  await Deno.remove(codeFile);
  assert.equal("codeFile" in await stage(), false, "its first use deleted it");
});
