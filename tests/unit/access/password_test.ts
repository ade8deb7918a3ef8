import assert from "node:assert/strict";
import { usersDocument } from "../../../system/access/document.ts";
import {
  formatRecord,
  hashPassword,
  parseRecord,
  verifyPassword,
} from "../../../system/access/password/password.ts";
import { systemRandom } from "../../../system/access/digest.ts";

const VECTOR =
  "$pbkdf2-sha256$600000$ABEiM0RVZneImaq7zN3u/w$yG3J5Y4VoARQyffTMQxRoWt3FCsk3nrHnHNeoRjFz1A";

Deno.test("a password record of another router verifies", async () => {
  assert.equal(await verifyPassword("correct horse", VECTOR), true);
  assert.equal(await verifyPassword("correct horsf", VECTOR), false);
  assert.equal(await verifyPassword("", VECTOR), false);
});

Deno.test("a password record survives parsing and formatting", () => {
  assert.equal(formatRecord(parseRecord(VECTOR)!), VECTOR);
});

Deno.test("a new password record has its own salt, and verifies", async () => {
  const [a, b] = [
    await hashPassword("pässword", systemRandom),
    await hashPassword("x", systemRandom),
  ];
  assert.match(a, /^\$pbkdf2-sha256\$600000\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(a.split("$")[3], b.split("$")[3]);
  assert.equal(await verifyPassword("pässword", a), true);
});

Deno.test("a password record with too few or too many iterations is refused", () => {
  for (const iterations of [99_999, 10_000_001, 0, 1e9]) {
    assert.equal(parseRecord(VECTOR.replace("600000", String(iterations))), null);
  }
  assert.notEqual(parseRecord(VECTOR.replace("600000", "100000")), null);
  for (const text of ["", "$pbkdf2-sha256$", VECTOR + "=", VECTOR.slice(0, -30), VECTOR + "$x"]) {
    assert.equal(parseRecord(text), null, text);
  }
});

Deno.test("a password in plain text verifies, an unknown user and an empty one do not", async () => {
  assert.equal(await verifyPassword("simple", "simple"), true);
  assert.equal(await verifyPassword("simple", "Simple"), false);
  assert.equal(await verifyPassword("", ""), false);
  assert.equal(await verifyPassword("x", undefined), false);
  assert.equal(await verifyPassword(VECTOR.slice(0, -1), VECTOR.slice(0, -1)), false);
});

Deno.test("the users document rejects bad entries and masks every value", () => {
  const raw = JSON.parse(
    `{"admin":${
      JSON.stringify(VECTOR)
    },"b":"plain","c":7,"d:e":"x","f":"","__proto__":"y","g":"$pbkdf2-sha256$1$a$b"}`,
  );
  const { value, rejected } = usersDocument.read(raw);
  assert.deepEqual(Object.keys(value), ["admin", "b"]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), [
    "/c",
    "/d:e",
    "/f",
    "/__proto__",
    "/g",
  ]);
  assert.equal(usersDocument.secret?.(["admin"]), true);
  for (const wrong of [null, [], "x", 3]) assert.throws(() => usersDocument.read(wrong));
});

Deno.test("a password is the same however its letters are composed, also one hashed before", async () => {
  const [composed, apart] = ["p\u00e4ssword", "pa\u0308ssword"];
  const record = await hashPassword(apart, systemRandom);
  assert.equal(await verifyPassword(composed, record), true);
  assert.equal(await verifyPassword(apart, record), true);
  assert.equal(await verifyPassword(composed, apart), true);
  assert.equal(await verifyPassword("password", record), false);
});

Deno.test("a password that was hashed as letters and marks verifies as whole letters, and the other way round", async () => {
  const forms = ["NFC", "NFD"].map((form) => "p\u00e4ssword".normalize(form));
  for (const hashed of forms) {
    const salt = new Uint8Array(systemRandom(16)), iterations = 100_000;
    const text = new TextEncoder().encode(hashed);
    const key = await crypto.subtle.importKey("raw", text, "PBKDF2", false, ["deriveBits"]);
    const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
    const hash = new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256));
    const record = formatRecord({ iterations, salt, hash });
    for (const typed of forms) assert.equal(await verifyPassword(typed, record), true);
    assert.equal(await verifyPassword("password", record), false);
  }
});
