import assert from "node:assert/strict";
import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import { hashOf } from "../../../system/plugins/install/code.ts";
import type { Plugin } from "../../../system/plugins/schema.ts";
import { otpOf } from "../../kit/otp.ts";
import { testRouter } from "../../kit/router.ts";

const MANIFEST = { Name: "sample", URI: "sample", Main: "main.ts" };

/** A plugin as an archive, signed with a key or not. */
async function archive(Version: string, pair: CryptoKeyPair | null): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const main = { path: "main.ts", bytes: encode(`// ${Version}`) };
  const manifest = encode(JSON.stringify({ ...MANIFEST, Version, Hash: hashOf([main]) }));
  const files = [{ path: "plugin.json", bytes: manifest }, main];
  if (pair !== null) {
    const spki = await crypto.subtle.exportKey("spki", pair.publicKey);
    const pem = `-----BEGIN PUBLIC KEY-----\n${
      new Uint8Array(spki).toBase64()
    }\n-----END PUBLIC KEY-----\n`;
    const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, manifest);
    files.push({ path: "plugin.pub", bytes: encode(pem) });
    files.push({ path: "plugin.sig", bytes: new Uint8Array(signature) });
  }
  return (await gzip(writeTar(files, 0))).toBase64();
}

async function newKey(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
}

interface Review {
  readonly hash: string;
  readonly signer: string;
  readonly signedBefore: string;
}

Deno.test("the key of the first installation is remembered; another or none has to be accepted", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const review = async (version: string, pair: CryptoKeyPair | null) =>
    await router.json<Review>("PUT", "/plugin/review", {
      body: { Archive: await archive(version, pair) },
      headers,
    });
  const install = async (body: object, sent = headers) => {
    const answer = await router.ask("PUT", "/plugin/install", { body, headers: sent });
    const text = await answer.text();
    return { status: answer.status, text };
  };
  const entry = async () =>
    (await router.json<Plugin[]>("GET", "/plugins")).find(({ Name }) => Name === "sample");
  const [first, second] = [await newKey(), await newKey()];

  const unsigned = await review("0.9.0", null);
  assert.deepEqual([unsigned.signer, unsigned.signedBefore], ["", ""]);
  assert.equal((await install({ hash: unsigned.hash })).status, 200);
  const signed = await review("1.0.0", first);
  assert.match(signed.signer, /^[0-9a-f]{64}$/);
  assert.equal((await install({ hash: signed.hash })).status, 200, "a first key is taken");
  assert.equal((await entry())?.signer, signed.signer);

  const update = await review("1.1.0", first);
  assert.deepEqual([update.signer, update.signedBefore], [signed.signer, signed.signer]);
  assert.equal((await install({ hash: update.hash })).status, 200);

  for (
    const [version, pair, words] of [["2.0.0", second, /another key/], [
      "2.1.0",
      null,
      /is not/,
    ]] as const
  ) {
    const other = await review(version, pair);
    assert.equal(other.signedBefore, signed.signer);
    const refused = await install({ hash: other.hash });
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, words);
    const legacy = await router.ask("PUT", "/plugin/complete_install", {
      body: { Name: "sample", codeHash: other.hash, Enabled: true },
      headers,
    });
    assert.equal(legacy.status, 409, await legacy.text());
    assert.equal((await entry())?.codeHash, update.hash);
  }
  const other = await review("2.0.0", second);
  const body = { hash: other.hash, acceptSigner: true };
  assert.equal((await install(body, {})).status, 403, "it needs a one-time password");
  assert.equal((await install(body)).status, 200);
  assert.equal((await entry())?.signer, other.signer);

  // No edit of the entry changes or removes the key.
  const { signer: _, ...fields } = (await entry())!;
  for (const signer of ["", signed.signer]) {
    await router.ask("PUT", "/plugins_api/sample", { body: { ...fields, signer }, headers });
    assert.equal((await entry())?.signer, other.signer);
  }
});
