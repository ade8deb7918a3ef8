import assert from "node:assert/strict";
import { socketCredentials } from "../../../system/access/socket_credentials.ts";

Deno.test("the first message of a WebSocket is a token, or a user with a password and perhaps a JWT", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl";
  const pair = (text: string) => {
    const { authorization, jwt } = socketCredentials(text);
    const sent = authorization!.replace("Basic ", "");
    return [new TextDecoder().decode(Uint8Array.fromBase64(sent)), jwt];
  };
  assert.deepEqual(socketCredentials("abc_-"), { authorization: "Bearer abc_-", jwt: null });
  assert.deepEqual(pair("admin:secret"), ["admin:secret", null]);
  assert.deepEqual(pair("admin:pass:with:colons"), ["admin:pass:with:colons", null]);
  assert.deepEqual(pair("admin:gehäuse:☃"), ["admin:gehäuse:☃", null]);
  assert.deepEqual(pair(`admin:pass:word:${jwt}`), ["admin:pass:word", jwt]);
  assert.deepEqual(pair(`admin:${jwt}`), [`admin:${jwt}`, null], "a password alone");
  assert.deepEqual(pair("admin:a:b.c.d"), ["admin:a:b.c.d", null], "no JWT begins so");
});
