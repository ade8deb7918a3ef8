import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAuthorization, readCookie } from "../../../system/access/identify.ts";
import { hostOf, isOurHost } from "../../../routes/http/host_names.ts";

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

Deno.test("Basic credentials are parsed as they were encoded", () => {
  const user = fc.string({ minLength: 1, unit: "grapheme" })
    .filter((name) => !name.includes(":") && !name.includes("\0") && name.isWellFormed());
  const password = fc.string({ unit: "grapheme" })
    .filter((text) => !text.includes("\0") && text.isWellFormed());
  fc.assert(fc.property(user, password, (name, secret) => {
    assert.deepEqual(parseAuthorization(`Basic ${base64(`${name}:${secret}`)}`), {
      kind: "basic",
      user: name,
      password: secret,
    });
  }));
});

Deno.test("parseAuthorization() never throws, and accepts only Basic and Bearer", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => {
    const { kind } = parseAuthorization(header);
    if (kind === "basic") assert.match(header, /^\s*basic /i);
    if (kind === "bearer") assert.match(header, /^\s*bearer /i);
  }));
  assert.deepEqual(parseAuthorization("bearer  abc"), { kind: "bearer", token: "abc" });
  assert.deepEqual(parseAuthorization("Bearer a\0b"), { kind: "bad" });
  assert.deepEqual(parseAuthorization("Bearer a b"), { kind: "bad" });
  assert.deepEqual(parseAuthorization(""), { kind: "bad" });
  assert.deepEqual(parseAuthorization(null), { kind: "none" });
});

Deno.test("readCookie() matches the whole name of a cookie", () => {
  const header = "a=1; xsluice-http=no; sluice-http=yes=; sluice-http=second; empty=; flag";
  assert.equal(readCookie(header, "sluice-http"), "yes=");
  assert.equal(readCookie(header, "empty"), null);
  assert.equal(readCookie(header, "flag"), null);
  assert.equal(readCookie(null, "a"), null);
});

Deno.test("hostOf() strips port and brackets, and rejects anything else", () => {
  assert.equal(hostOf("Router.LAN.:8080"), "router.lan");
  assert.equal(hostOf("[2001:DB8::1]:80"), "2001:db8::1");
  for (const host of ["a@b", "a:b", "a:80:80", "[::1", "::1", "a/b", "a b", "a:999999", "ü.lan"]) {
    assert.equal(hostOf(host), null, host);
  }
  fc.assert(fc.property(fc.webUrl({ withFragments: false }), (url) => {
    assert.equal(isOurHost(new URL(url).host, new Set()), false);
  }));
});
