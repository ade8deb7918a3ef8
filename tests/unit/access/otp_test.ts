import assert from "node:assert/strict";
import { SignJWT, UnsecuredJWT } from "jose";
import { systemRandom } from "../../../system/access/digest.ts";
import { issueJwt, type JwtOptions, verifyJwt } from "../../../system/access/otp/jwt.ts";
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
function jwtOptions(change: Partial<JwtOptions> = {}): JwtOptions {
  const epochs: Record<string, string> = { admin: "1", eve: "1" };
  return {
    key: new Uint8Array(32).fill(7),
    random: systemRandom,
    now: () => NOW,
    epochOf: (user) => epochs[user] ?? null,
    ...change,
  };
}

Deno.test("a JWT is valid for its user until it expires", async () => {
  const options = jwtOptions();
  const jwt = await issueJwt(options, "admin", 3600);
  assert.equal(await verifyJwt(options, jwt), "admin");
  const at = (ms: number) => verifyJwt(jwtOptions({ now: () => NOW + ms }), jwt);
  assert.equal(await at(3599_000), "admin");
  assert.equal(await at(3600_000), null);
});

Deno.test("a JWT is invalid after its user's epoch changed, or under another key", async () => {
  const jwt = await issueJwt(jwtOptions(), "admin", 3600);
  assert.equal(await verifyJwt(jwtOptions({ epochOf: () => "2" }), jwt), null);
  assert.equal(await verifyJwt(jwtOptions({ epochOf: () => null }), jwt), null);
  assert.equal(await verifyJwt(jwtOptions({ key: new Uint8Array(32) }), jwt), null);
});

Deno.test("a JWT without signature, of another algorithm, or with a changed subject is refused", async () => {
  const options = jwtOptions();
  const claims = { iss: "SPR-OTP", sub: "admin", iat: NOW / 1000, exp: NOW / 1000 + 60, jti: "x" };
  const none = new UnsecuredJWT(claims).encode();
  const hs512 = await new SignJWT(claims).setProtectedHeader({ alg: "HS512" })
    .sign(new Uint8Array(64));
  const [head, body, tail] = (await issueJwt(options, "admin", 60)).split(".");
  const payload = JSON.parse(atob(body!.replaceAll("-", "+").replaceAll("_", "/")));
  const other = btoa(JSON.stringify({ ...payload, sub: "eve" })).replaceAll("=", "");
  for (
    const jwt of [none, hs512, `${head}.${other}.${tail}`, `${head}.${body}.`, "", "a.b.c", "x"]
  ) {
    assert.equal(await verifyJwt(options, jwt), null, jwt);
  }
});
