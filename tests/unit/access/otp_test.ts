import assert from "node:assert/strict";
import { SignJWT, UnsecuredJWT } from "jose";
import { systemRandom } from "../../../system/access/digest.ts";
import { type JwtOptions, Jwts } from "../../../system/access/otp/jwt.ts";
import { codeStep, isSecret, newSecret } from "../../../system/access/otp/totp.ts";

/** base32 of the ASCII secret `12345678901234567890` of RFC 6238 appendix B. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/** Seconds and the last six digits of the SHA-1 codes of the same appendix. */
const VECTORS: readonly [number, string][] = [
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"],
];

Deno.test("codes are those of RFC 6238", () => {
  for (const [seconds, code] of VECTORS) {
    const now = seconds * 1000;
    assert.equal(
      codeStep(code, { secret: SECRET, now, lastStep: 0 }),
      Math.floor(seconds / 30),
      String(seconds),
    );
  }
});

Deno.test("a code is accepted one step early and late, not two", () => {
  const step = 1234567890 / 30;
  const at = (steps: number) =>
    codeStep("005924", { secret: SECRET, now: (step + steps) * 30_000, lastStep: 0 });
  assert.deepEqual([-2, -1, 0, 1, 2].map(at), [null, step, step, step, null]);
});

Deno.test("a code of a used step, or of one before it, is refused", () => {
  const options = { secret: SECRET, now: 1234567890_000 };
  const step = 1234567890 / 30;
  assert.equal(codeStep("005924", { ...options, lastStep: step }), null);
  assert.equal(codeStep("005924", { ...options, lastStep: step + 1 }), null);
  assert.equal(codeStep("005924", { ...options, lastStep: step - 1 }), step);
});

Deno.test("anything but six digits is refused as a code", () => {
  for (const code of ["", "5924", "0059240", "00592x", "٠٠٥٩٢٤", "-05924", "5924.0"]) {
    assert.equal(codeStep(code, { secret: SECRET, now: 1234567890_000, lastStep: 0 }), null, code);
  }
  assert.equal(codeStep("005 924", { secret: SECRET, now: 1234567890_000, lastStep: 0 }), 41152263);
  assert.equal(codeStep("005924", { secret: "!", now: 1234567890_000, lastStep: 0 }), null);
});

Deno.test("a new secret has 160 random bits in base32", () => {
  const secret = newSecret(systemRandom);
  assert.equal(secret.length, 32);
  assert.ok(isSecret(secret));
});

const NOW = Date.UTC(2030, 0, 1);
function jwts(change: Partial<JwtOptions> = {}): Jwts {
  const epochs: Record<string, string> = { admin: "1", eve: "1" };
  return new Jwts({
    key: new Uint8Array(32).fill(7),
    random: systemRandom,
    now: () => NOW,
    wall: change.now ?? (() => NOW),
    steady: () => 0,
    epochOf: (user) => epochs[user] ?? null,
    ...change,
  });
}

Deno.test("a JWT is valid for its user until it expires", async () => {
  let steady = 0;
  const issuer = jwts({ steady: () => steady });
  const jwt = await issuer.issue("admin", 3600);
  assert.equal(await issuer.verify(jwt), "admin");
  steady = 3599_000;
  assert.equal(await issuer.verify(jwt), "admin");
  steady = 3600_000;
  assert.equal(await issuer.verify(jwt), null);
  const laterRun = (ms: number) => jwts({ now: () => NOW + ms }).verify(jwt);
  assert.equal(await laterRun(3599_000), "admin");
  assert.equal(await laterRun(3600_000), null);
});

Deno.test("however the clock is set, a JWT lasts as long as it was issued for in its run", async () => {
  let steady = 0, set = 0;
  const issuer = jwts({ steady: () => steady, now: () => NOW + steady + set });
  const jwt = await issuer.issue("admin", 3600);
  for (const by of [-3e10, -3600_000, 3600_000, 3e10]) {
    set = by;
    steady = 1800_000;
    assert.equal(await issuer.verify(jwt), "admin", `set by ${by}`);
    steady = 3600_000;
    assert.equal(await issuer.verify(jwt), null, `set by ${by}`);
  }
});

Deno.test("a JWT of an earlier run that was issued while the clock was ahead is refused", async () => {
  const jwt = await jwts({ now: () => NOW + 3e10 }).issue("admin", 3600);
  assert.equal(await jwts().verify(jwt), null);
  const soon = await jwts({ now: () => NOW + 60_000 }).issue("admin", 3600);
  assert.equal(await jwts().verify(soon), "admin", "as after a small correction");
});

Deno.test("a JWT of an earlier run that has expired by any clock stays expired", async () => {
  const jwt = await jwts().issue("admin", 3600);
  assert.equal(await jwts({ wall: () => NOW + 3600_000 }).verify(jwt), null, "the wall clock");
  let now = NOW + 3600_000;
  const later = jwts({ now: () => now, wall: () => now });
  assert.equal(await later.verify(jwt), null);
  now = NOW + 60_000;
  assert.equal(await later.verify(jwt), null, "set back since");
});

Deno.test("a JWT is invalid after its user's epoch changed, or under another key", async () => {
  const jwt = await jwts().issue("admin", 3600);
  assert.equal(await jwts({ epochOf: () => "2" }).verify(jwt), null);
  assert.equal(await jwts({ epochOf: () => null }).verify(jwt), null);
  assert.equal(await jwts({ key: new Uint8Array(32) }).verify(jwt), null);
});

Deno.test("a JWT without signature, of another algorithm, or with a changed subject is refused", async () => {
  const issuer = jwts();
  const claims = { iss: "SPR-OTP", sub: "admin", iat: NOW / 1000, exp: NOW / 1000 + 60, jti: "x" };
  const none = new UnsecuredJWT(claims).encode();
  const hs512 = await new SignJWT(claims).setProtectedHeader({ alg: "HS512" })
    .sign(new Uint8Array(64));
  const [head, body, tail] = (await issuer.issue("admin", 60)).split(".");
  const payload = JSON.parse(atob(body!.replaceAll("-", "+").replaceAll("_", "/")));
  const other = btoa(JSON.stringify({ ...payload, sub: "eve" })).replaceAll("=", "");
  for (
    const jwt of [none, hs512, `${head}.${other}.${tail}`, `${head}.${body}.`, "", "a.b.c", "x"]
  ) {
    assert.equal(await issuer.verify(jwt), null, jwt);
  }
});
