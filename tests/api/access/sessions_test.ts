import assert from "node:assert/strict";
import { accessKit, codeOf, cookieOf, PASSWORD } from "../../kit/access.ts";
import { testRouter } from "../../kit/router.ts";
import { SESSION } from "../../../system/access/sessions.ts";

const ADMIN = `admin:${PASSWORD}`;

async function login(kit: Awaited<ReturnType<typeof accessKit>>, tls = false): Promise<string> {
  return cookieOf(await kit.request("/auth/login", { method: "PUT", basic: ADMIN, peer: { tls } }));
}

Deno.test("PUT /auth/login opens a session with an HttpOnly cookie", async () => {
  await using kit = await accessKit();
  const answer = await kit.request("/auth/login", { method: "PUT", basic: ADMIN });
  const body = await answer.json();
  assert.equal(body.name, "admin");
  assert.equal(body.expires, kit.clock.now + SESSION.absolute);
  assert.deepEqual(body.otp, { State: "unregistered", AlwaysOn: false, Confirmed: false });
  assert.match(
    answer.headers.get("set-cookie") ?? "",
    /^sluice-http=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  );
  const tls = await kit.request("/auth/login", {
    method: "PUT",
    basic: ADMIN,
    peer: { tls: true },
  });
  assert.match(
    tls.headers.get("set-cookie") ?? "",
    /^__Host-sluice=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
  );
});

Deno.test("PUT /auth/login accepts a JSON body, and refuses other credentials", async () => {
  await using kit = await accessKit();
  const put = (options: Record<string, unknown>) =>
    kit.request("/auth/login", { method: "PUT", ...options });
  assert.equal((await put({ body: { name: "admin", password: PASSWORD } })).status, 200);
  assert.equal((await put({ body: { Name: "admin", Password: "x" } })).status, 401);
  assert.equal((await put({})).status, 401);
  assert.equal(
    (await put({ bearer: "x", body: { Name: "admin", Password: PASSWORD } })).status,
    401,
  );
  assert.equal((await put({ body: { Name: 7 } })).status, 400);
});

Deno.test("a session of plain HTTP is invalid under TLS, and vice versa", async () => {
  await using kit = await accessKit();
  const plain = await login(kit), secure = await login(kit, true);
  const ask = async (cookie: string, tls: boolean) =>
    (await kit.request("/devices", { cookie, peer: { tls } })).status;
  assert.equal(await ask(plain, false), 200);
  assert.equal(await ask(secure, true), 200);
  assert.equal(await ask(plain, true), 401);
  assert.equal(await ask(secure, false), 401);
  assert.equal(await ask(`__Host-sluice=${plain.split("=")[1]}`, true), 401);
  assert.equal(await ask(`sluice-http=${secure.split("=")[1]}`, false), 401);
});

Deno.test("a session expires after twelve idle hours, and after a week in any case", async () => {
  await using kit = await accessKit();
  const cookie = await login(kit);
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    assert.equal((await kit.request("/devices", { cookie })).status, 200, `${hours} h`);
    kit.clock.now += 11 * 3600_000;
  }
  kit.clock.now += 11 * 3600_000;
  assert.equal((await kit.request("/devices", { cookie })).status, 401);
  const idle = await login(kit);
  kit.clock.now += SESSION.idle;
  assert.equal((await kit.request("/devices", { cookie: idle })).status, 401);
});

Deno.test("a session survives a restart, and is stored without its secret", async () => {
  await using kit = await accessKit();
  const cookie = await login(kit);
  await kit.restart();
  assert.equal((await kit.request("/devices", { cookie })).status, 200);
  const bytes = await Deno.readFile(`${kit.home}/state/sluice.db`);
  const wal = await Deno.readFile(`${kit.home}/state/sluice.db-wal`).catch(() => new Uint8Array());
  const text = new TextDecoder("latin1").decode(bytes) + new TextDecoder("latin1").decode(wal);
  assert.ok(!text.includes(cookie.split("=")[1]!));
  assert.ok(!text.includes(PASSWORD));
});

Deno.test("sessions are listed, revoked one by one, and ended by signing out", async () => {
  await using kit = await accessKit();
  const [a, b, c] = [await login(kit), await login(kit), await login(kit)];
  const { items, next } = await (await kit.request("/auth/sessions", { cookie: b })).json();
  assert.equal(items.length, 3);
  assert.equal(next, null);
  assert.equal(items[0].createdAt, kit.clock.now);
  assert.deepEqual(items.map((item: { current: boolean }) => item.current), [false, true, false]);
  const end = (id: string) => kit.request(`/auth/sessions/${id}`, { method: "DELETE", cookie: b });
  assert.equal((await end(items[2].id)).status, 200);
  assert.equal((await end(items[2].id)).status, 404);
  assert.equal((await kit.request("/devices", { cookie: a })).status, 401);
  const out = await kit.request("/auth/logout", { method: "PUT", cookie: b });
  assert.equal(out.status, 200);
  assert.match(out.headers.get("set-cookie") ?? "", /^sluice-http=; Path=\/; Max-Age=0;/);
  assert.equal((await kit.request("/devices", { cookie: b })).status, 401);
  const old = await kit.request("/logout", { method: "PUT", cookie: c });
  assert.equal(await old.json(), true);
  assert.equal((await kit.request("/devices", { cookie: c })).status, 401);
  assert.equal((await kit.request("/logout", { method: "PUT" })).status, 401);
  assert.equal((await kit.request("/auth/logout", { method: "PUT" })).status, 200);
});

Deno.test("a changed password revokes every session and JWT, and opens a new session for the caller", async () => {
  await using kit = await accessKit();
  const { jwt } = await kit.enrol();
  const [mine, other] = [await login(kit), await login(kit)];
  const put = (body: unknown, path = "/auth/password") =>
    kit.request(path, { method: "PUT", cookie: mine, body });
  const wrong = await put({ Current: "wrong", New: "another password" });
  assert.equal(wrong.status, 400);
  assert.equal((await wrong.json()).errors[0].pointer, "/Current");
  const short = await put({ Current: PASSWORD, New: "short" });
  assert.equal((await short.json()).errors[0].pointer, "/New");
  assert.equal((await put({ Current: PASSWORD, New: PASSWORD })).status, 400);
  const dry = await put(
    { Current: PASSWORD, New: "another password" },
    "/auth/password?dryRun=true",
  );
  assert.equal(dry.status, 200);
  assert.equal((await kit.request("/devices", { cookie: other })).status, 200);
  const changed = await put({ Current: PASSWORD, New: "another password" });
  assert.equal(changed.status, 200);
  assert.ok(changed.headers.get("change-id"));
  const fresh = cookieOf(changed);
  assert.notEqual(fresh, mine);
  assert.equal((await kit.request("/devices", { cookie: fresh })).status, 200);
  for (const cookie of [mine, other]) {
    assert.equal((await kit.request("/devices", { cookie })).status, 401);
  }
  assert.equal((await kit.request("/devices", { basic: ADMIN })).status, 401);
  const basic = "admin:another password";
  assert.equal((await kit.request("/devices", { basic })).status, 200);
  const test = { method: "PUT", basic, jwt };
  assert.equal((await kit.request("/otp_jwt_test", test)).status, 403);
});

Deno.test("sessions end when a password is changed or a user removed by any other route", async () => {
  await using kit = await accessKit({ users: { admin: PASSWORD, eve: "password of eve" } });
  const cookie = await login(kit);
  const eve = cookieOf(
    await kit.request("/auth/login", { method: "PUT", basic: "eve:password of eve" }),
  );
  const set = (users: Record<string, string>) =>
    kit.engine.change({
      kind: "file",
      summary: "",
      reduce: (config) => [{ ...config, users }, undefined],
    }, { caller: { by: "file", from: null, connection: null } });
  await set({ admin: kit.engine.config.users["admin"]! });
  assert.equal((await kit.request("/devices", { cookie: eve })).status, 401);
  assert.equal((await kit.request("/devices", { cookie })).status, 200);
  await set({ admin: "another" });
  assert.equal((await kit.request("/devices", { cookie })).status, 401);
  assert.equal((await kit.request("/devices", { basic: "admin:another" })).status, 200);
});

Deno.test("ten wrong passwords lock a source across a restart, but not its sessions and tokens", async () => {
  await using kit = await accessKit();
  const cookie = await login(kit);
  const { Token: bearer } = await kit.access.accounts.createToken({
    Name: "",
    Expire: 0,
    ScopedPaths: [],
  });
  for (let i = 0; i < 10; i++) {
    kit.clock.now += 2000;
    assert.equal((await kit.request("/devices", { basic: `admin:wrong ${i}` })).status, 401);
  }
  const peer = { source: "192.168.2.9" };
  const locked = await kit.request("/devices", { basic: "admin:more", peer });
  assert.equal(locked.status, 429);
  assert.equal(locked.headers.get("retry-after"), "300");
  await kit.restart();
  assert.equal((await kit.request("/devices", { basic: ADMIN, peer })).status, 429);
  assert.equal((await kit.request("/devices", { cookie, peer })).status, 200);
  assert.equal((await kit.request("/devices", { bearer, peer })).status, 200);
  assert.equal((await kit.request("/cert", { basic: "admin:more", peer })).status, 200);
  const elsewhere = { source: "192.168.2.10" };
  assert.equal((await kit.request("/devices", { basic: ADMIN, peer: elsewhere })).status, 200);
  assert.ok(kit.topics.includes("auth:lock"));
  assert.ok(!kit.lines.some((line) => line.includes("wrong 3")));
});

Deno.test("with AlwaysOn every request of a session needs a code", async () => {
  await using kit = await accessKit();
  const { secret } = await kit.enrol();
  kit.clock.now += 30_000;
  const cookie = await login(kit);
  const validate = (Code: string) =>
    kit.request("/otp_validate", {
      method: "PUT",
      cookie,
      body: { Name: "admin", Code, UpdateAlwaysOn: true, AlwaysOn: true },
    });
  const validated = await validate(codeOf(secret, kit.clock.now));
  const stream = `${cookie}; ${cookieOf(validated)}`;
  assert.match(validated.headers.get("set-cookie") ?? "", /; Path=\/events; HttpOnly;/);
  const jwt = await validated.json();
  assert.equal((await kit.request("/events", { cookie: stream })).status, 200);
  assert.equal((await kit.request("/events", { cookie })).status, 403);
  assert.equal((await kit.request("/devices", { cookie: stream })).status, 403);
  for (const options of [{ cookie }, { basic: ADMIN }]) {
    const refused = await kit.request("/devices", options);
    assert.equal(refused.status, 403);
    assert.match((await refused.json()).detail, /Invalid JWT/);
    assert.equal((await kit.request("/devices", { ...options, jwt })).status, 200);
    assert.equal((await kit.request("/nothing", options)).status, 403);
  }
  kit.clock.now += 30_000;
  assert.equal((await validate(codeOf(secret, kit.clock.now))).status, 200);
  assert.equal((await kit.request("/auth/logout", { method: "PUT", cookie })).status, 200);
});

Deno.test("signing in and out works while the database cannot be written", async () => {
  await using kit = await accessKit();
  const { secret } = await kit.enrol();
  kit.clock.now += 60_000;
  const before = await login(kit);
  kit.breakStore();
  const cookie = await login(kit);
  kit.clock.now += 60_000;
  assert.equal((await kit.request("/devices", { cookie })).status, 200);
  const validate = () =>
    kit.request("/otp_validate", {
      method: "PUT",
      cookie,
      body: { Name: "admin", Code: codeOf(secret, kit.clock.now) },
    });
  assert.equal((await validate()).status, 200);
  assert.equal((await validate()).status, 400);
  const body = { Current: PASSWORD, New: "another password" };
  const changed = await kit.request("/auth/password", { method: "PUT", cookie, body });
  assert.equal(changed.status, 200);
  for (const old of [before, cookie]) {
    assert.equal((await kit.request("/devices", { cookie: old })).status, 401);
  }
  assert.ok(kit.lines.some((line) => line.includes("access.write_failed")));
});

Deno.test("setting the clock neither shortens nor extends sessions", async () => {
  for (const jump of [365 * 86_400_000, -3600_000, -365 * 86_400_000]) {
    await using kit = await accessKit();
    const set = (by: number): void => {
      kit.clock.now += by;
      kit.clock.set += by;
    };
    const status = async () => (await kit.request("/devices", { cookie })).status;
    const cookie = await login(kit);
    set(jump);
    assert.equal(await status(), 200, `${jump}`);
    kit.clock.now += 60_000;
    assert.equal(await status(), 200, `${jump}`);
    await kit.restart();
    assert.equal(await status(), 200, `${jump}, after a start`);
    kit.clock.now += SESSION.idle;
    assert.equal(await status(), 401, `${jump}, unused for half a day`);
    const left = await login(kit);
    set(-365 * 86_400_000);
    await kit.restart();
    kit.clock.now += SESSION.idle;
    assert.equal((await kit.request("/devices", { cookie: left })).status, 401);
  }
});

Deno.test("a lockout lasts five minutes, whatever the clock is set to", async () => {
  for (const jump of [365 * 86_400_000, -3600_000]) {
    await using kit = await accessKit();
    const status = async (password: string) => {
      const basic = `admin:${password}`;
      return (await kit.request("/auth/login", { method: "PUT", basic })).status;
    };
    for (let n = 0; n < 10; n++) assert.equal(await status(`wrong ${n}`), 401);
    kit.clock.now += jump;
    kit.clock.set += jump;
    kit.clock.now += 4 * 60_000;
    assert.equal(await status("another"), 429);
    kit.clock.now += 61_000;
    assert.equal(await status(PASSWORD), 200);
  }
});

Deno.test("expired sessions do not prevent signing in while the database cannot be written", async () => {
  await using kit = await accessKit();
  const old = await login(kit);
  for (let n = 0; n < 31; n++) await login(kit);
  kit.breakStore();
  const surplus = await kit.request("/auth/login", { method: "PUT", basic: ADMIN });
  assert.equal(surplus.status, 200, await surplus.text());
  kit.clock.now += SESSION.idle;
  assert.equal((await kit.request("/devices", { cookie: old })).status, 401);
  assert.equal((await kit.request("/devices", { cookie: await login(kit) })).status, 200);
});

Deno.test("GET /auth/stage reports the sign-in stage without credentials", async () => {
  await using router = await testRouter();
  const stage = async (headers: Record<string, string> = {}) => {
    const answer = await router.ask("GET", "/auth/stage", { as: null, headers });
    assert.equal(answer.status, 200);
    return await answer.json();
  };
  const out = { stage: "out", user: "", role: null, open: false, passwordSet: true };
  assert.deepEqual(await stage(), out);
  assert.deepEqual(await stage({ cookie: "sluice-session=nonsense" }), out);
  const login = async () => cookieOf(await router.ask("PUT", "/auth/login"));
  let cookie = await login();
  assert.deepEqual(await stage({ cookie }), {
    stage: "in",
    user: "admin",
    role: "admin",
    open: false,
    passwordSet: true,
  });
  const enrolled = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: { Name: "admin" },
  });
  const Code = codeOf(enrolled.OTPUsers[0]!.Secret, Date.now());
  const jwt = await router.json<string>("PUT", "/otp_validate", {
    body: { Name: "admin", Code, UpdateAlwaysOn: true, AlwaysOn: true },
  });
  assert.deepEqual(await stage({ cookie }), out, "a second factor ends every session");
  cookie = await login();
  assert.deepEqual(await stage({ cookie }), {
    stage: "code",
    user: "admin",
    role: "admin",
    open: false,
    passwordSet: true,
  });
  assert.equal((await stage({ cookie, "x-jwt-otp": jwt })).stage, "in");
  await router.ask("PUT", "/auth/logout", { as: null, headers: { cookie } });
  assert.deepEqual(await stage({ cookie }), out);
});

Deno.test("GET /auth/stage distinguishes a new router from one that is set up", async () => {
  await using router = await testRouter({
    adminPassword: null,
    access: { watch: false, announce: () => Promise.resolve(null) },
  });
  const answer = await router.ask("GET", "/auth/stage", { as: null });
  assert.deepEqual(await answer.json(), {
    stage: "setup",
    user: "",
    role: null,
    open: true,
    passwordSet: false,
  });
});

Deno.test("GET /auth/stage asks for a sign-in once setup has set the admin's password", async () => {
  const codes: string[] = [];
  await using router = await testRouter({
    adminPassword: null,
    access: {
      watch: false,
      announce: (code) => {
        codes.push(code);
        return Promise.resolve(null);
      },
    },
  });
  const body = { InterfaceUplink: "wan0", AdminPassword: "the chosen password" };
  const set = await router.ask("PUT", "/setup", { as: `Bearer ${codes[0]}`, body });
  assert.equal(set.status, 200, await set.text());
  const answer = await router.ask("GET", "/auth/stage", { as: null });
  assert.deepEqual(await answer.json(), {
    stage: "out",
    user: "",
    role: null,
    open: true,
    passwordSet: true,
  });
});
