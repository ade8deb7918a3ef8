import assert from "node:assert/strict";
import { join } from "node:path";
import { type AccessKit, accessKit, codeOf, PASSWORD } from "../../kit/access.ts";

const ADMIN = `admin:${PASSWORD}`;
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const OTHER = "MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK";
const TOKENS = [
  { Name: "one", Token: "c2VjcmV0IG9uZSBvZiBhbiBvbGQgaW5zdGFsbGVy", Expire: 0, ScopedPaths: null },
  {
    Name: "two",
    Token: "padded+standard/base64+of+32+bytes+xxxxxxx=",
    ScopedPaths: ["/devices:r"],
  },
];

function file(home: string, name: string): string {
  return join(home, "configs", name);
}

async function write(home: string, name: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file(home, name), JSON.stringify(value));
}

async function read(home: string, name: string): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(file(home, name)));
}

async function opens(kit: AccessKit, bearer: string): Promise<boolean> {
  return (await kit.request("/devices", { bearer })).status === 200;
}

Deno.test("imported tokens work, and their file keeps no secrets", async () => {
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/auth_tokens.json", TOKENS),
  });
  for (const { Token } of TOKENS) assert.ok(await opens(kit, Token));
  const put = { method: "PUT", body: {}, bearer: TOKENS[1]!.Token };
  assert.equal((await kit.request("/device", put)).status, 403);
  const left = await read(kit.home, "auth/auth_tokens.json") as { Name: string; Token: string }[];
  assert.deepEqual(left.map(({ Name, Token }) => [Name, Token]), [
    ["one", "c2VjcmV0…"],
    ["two", "padded+s…"],
  ]);
  const { mode } = await Deno.stat(file(kit.home, "auth/auth_tokens.json"));
  assert.equal((mode ?? 0) & 0o777, 0o600);
  await kit.restart();
  assert.equal(kit.access.tokens.list().length, 2);
});

Deno.test("a deleted token is not imported again from the file", async () => {
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/auth_tokens.json", TOKENS),
  });
  await kit.access.accounts.deleteToken({ Token: TOKENS[0]!.Token, ID: "" });
  await write(kit.home, "auth/auth_tokens.json", [...TOKENS, {
    Name: "new",
    Token: "n".repeat(40),
  }]);
  await kit.access.importFiles();
  assert.equal(await opens(kit, TOKENS[0]!.Token), false);
  assert.ok(await opens(kit, "n".repeat(40)));
  assert.deepEqual(kit.access.tokens.list().map(({ Name }) => Name), ["two", "new"]);
});

Deno.test("a token that is removed from the tokens file is revoked, one made here is not", async () => {
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/auth_tokens.json", TOKENS),
  });
  const here = { Name: "here", Expire: 0, ScopedPaths: [] };
  const { Token: own } = await kit.access.accounts.createToken(here);
  const left = await read(kit.home, "auth/auth_tokens.json") as unknown[];
  await kit.restart();
  await write(kit.home, "auth/auth_tokens.json", { not: "a list" });
  await kit.access.importFiles();
  assert.ok(await opens(kit, TOKENS[0]!.Token), "of a file that cannot be read nothing follows");
  await write(kit.home, "auth/auth_tokens.json", left.slice(1));
  await kit.access.importFiles();
  assert.equal(await opens(kit, TOKENS[0]!.Token), false);
  assert.ok(await opens(kit, TOKENS[1]!.Token));
  assert.ok(kit.topics.includes("auth:token:delete"));
  await write(kit.home, "auth/auth_tokens.json", []);
  await kit.access.importFiles();
  assert.equal(await opens(kit, TOKENS[1]!.Token), false);
  assert.ok(await opens(kit, own));
});

Deno.test("an edited entry of the tokens file updates its token", async () => {
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/auth_tokens.json", TOKENS),
  });
  await write(kit.home, "auth/auth_tokens.json", [{ ...TOKENS[0], ScopedPaths: ["/firewall"] }]);
  await kit.access.importFiles();
  assert.equal((await kit.request("/devices", { bearer: TOKENS[0]!.Token })).status, 403);
});

Deno.test("a token with several entries has the paths of all of them", async () => {
  const Token = "s".repeat(40);
  await using kit = await accessKit({
    prepare: (home) =>
      write(home, "auth/auth_tokens.json", [
        { Name: "a", Token, ScopedPaths: ["/firewall"] },
        { Name: "b", Token, ScopedPaths: ["/devices"] },
      ]),
  });
  const answer = await kit.request("/devices", { bearer: Token });
  assert.equal((await answer.json()).by, "token:b");
});

Deno.test("invalid entries of a tokens file are not imported and stay in it without their token", async () => {
  const bad = [
    { Name: "x", Token: "a".repeat(40), ScopedPaths: "/devices" },
    { Name: "y", Token: "b".repeat(40), ScopedPaths: [""] },
    { Name: "z", Token: "" },
    { Name: "w", Token: 7 },
    "text",
  ];
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/auth_tokens.json", bad),
  });
  for (const letter of ["a", "b"]) assert.equal(await opens(kit, letter.repeat(40)), false);
  const text = await Deno.readTextFile(file(kit.home, "auth/auth_tokens.json"));
  assert.ok(!text.includes("a".repeat(40)) && !text.includes("b".repeat(40)));
  assert.match(text, /"x"/);
});

Deno.test("an unreadable tokens file is left unchanged and reported", async () => {
  await using kit = await accessKit({
    prepare: (home) => Deno.writeTextFile(file(home, "auth/auth_tokens.json"), "[{"),
  });
  assert.equal(await Deno.readTextFile(file(kit.home, "auth/auth_tokens.json")), "[{");
  assert.ok(kit.lines.some((line) => line.includes("auth_tokens.json cannot be read")));
});

const SETTINGS = {
  OTPUsers: [{ Name: "admin", Secret: SECRET, Confirmed: true, AlwaysOn: true }],
  JWTDurationSeconds: 120,
};

Deno.test("imported one-time passwords work, and their file keeps no secrets", async () => {
  await using kit = await accessKit({
    prepare: (home) => write(home, "auth/otp_settings.json", SETTINGS),
  });
  assert.equal((await kit.request("/devices", { basic: ADMIN })).status, 403);
  const body = { Name: "admin", Code: codeOf(SECRET, kit.clock.now) };
  const validated = await kit.request("/otp_validate", { method: "PUT", basic: ADMIN, body });
  const jwt = await validated.json();
  assert.equal((await kit.request("/devices", { basic: ADMIN, jwt })).status, 200);
  kit.clock.now += 120_000;
  assert.equal((await kit.request("/devices", { basic: ADMIN, jwt })).status, 403);
  assert.deepEqual(await read(kit.home, "auth/otp_settings.json"), {
    OTPUsers: [{ Name: "admin", Secret: "", Confirmed: true, AlwaysOn: true }],
    JWTDurationSeconds: 120,
  });
});

Deno.test("an import neither disables a confirmed OTP nor restores a replaced secret", async () => {
  await using kit = await accessKit();
  const { secret } = await kit.enrol();
  const put = async (user: Record<string, unknown>) => {
    await write(kit.home, "auth/otp_settings.json", { OTPUsers: [{ Name: "admin", ...user }] });
    await kit.access.importFiles();
    return kit.access.otp.users()[0]!;
  };
  assert.equal((await put({ Secret: OTHER, Confirmed: false })).Secret, secret);
  assert.equal((await put({ Secret: "", Confirmed: false })).Confirmed, true);
  assert.equal((await put({ Secret: OTHER, Confirmed: true, AlwaysOn: true })).Secret, OTHER);
  assert.equal((await put({ Secret: secret, Confirmed: true })).Secret, OTHER);
  assert.equal((await put({ Secret: OTHER, Confirmed: true, AlwaysOn: false })).AlwaysOn, true);
  await write(kit.home, "auth/otp_settings.json", {});
  await kit.access.importFiles();
  assert.equal(kit.access.otp.status("admin").Confirmed, true);
});

Deno.test("with ExportSecrets the files are kept in sync with the stored tokens and secrets", async () => {
  await using kit = await accessKit({
    prepare: async (home) => {
      await write(home, "base/api.json", { ExportSecrets: true });
      await write(home, "auth/auth_tokens.json", TOKENS);
    },
  });
  assert.deepEqual(await read(kit.home, "auth/auth_tokens.json"), TOKENS);
  const made = await kit.access.accounts.createToken({ Name: "n", Expire: 0, ScopedPaths: ["/a"] });
  await kit.access.accounts.deleteToken({ Token: TOKENS[0]!.Token, ID: "" });
  assert.deepEqual(await read(kit.home, "auth/auth_tokens.json"), [
    TOKENS[1],
    { Name: "n", Token: made.Token, Expire: 0, ScopedPaths: ["/a"] },
  ]);
  const { secret } = await kit.enrol();
  assert.deepEqual(await read(kit.home, "auth/otp_settings.json"), {
    OTPUsers: [{ Name: "admin", Secret: secret, Confirmed: true, AlwaysOn: false }],
    JWTDurationSeconds: 3600,
  });
  await kit.restart();
  assert.equal(kit.access.tokens.list().length, 2);
  assert.ok(await opens(kit, TOKENS[1]!.Token));
});
