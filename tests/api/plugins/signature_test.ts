import assert from "node:assert/strict";
import type { Plugin } from "../../../system/plugins/schema.ts";
import { otpOf } from "../../kit/otp.ts";
import { newKey, signedArchive } from "../../kit/plugins/signed_archive.ts";
import { testRouter } from "../../kit/router.ts";

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
      body: { Archive: await signedArchive(version, pair) },
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

Deno.test("a lower version of a signed plugin is no update, unless the admin accepts it", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const key = await newKey();
  type Older = Review & {
    readonly change: { readonly isOlder: boolean; readonly from: string } | null;
  };
  const review = async (version: string, pair: CryptoKeyPair | null = key) =>
    await router.json<Older>("PUT", "/plugin/review", {
      body: { Archive: await signedArchive(version, pair) },
      headers,
    });
  const status = async (path: string, body: object, sent = headers) => {
    const answer = await router.ask("PUT", path, { body, headers: sent });
    return `${answer.status} ${await answer.text()}`;
  };
  const entry = async () =>
    (await router.json<Plugin[]>("GET", "/plugins")).find(({ Name }) => Name === "sample")!;
  const install = async (version: string) =>
    await status("/plugin/install", { hash: (await review(version)).hash });
  assert.match(await install("1.9.0"), /^200/);
  assert.match(await install("1.10.0"), /^200/);
  assert.equal((await entry()).version, "1.10.0");

  const older = await review("1.9.0");
  assert.deepEqual([older.change?.isOlder, older.change?.from], [true, "1.10.0"]);
  for (const version of ["1.9.0", "1.10.0-rc1"]) {
    const { hash } = await review(version);
    for (const accepts of [{}, { acceptSigner: true }]) {
      assert.match(
        await status("/plugin/install", { hash, ...accepts }),
        /^409 .*older than 1\.10\.0/,
        version,
      );
    }
    const legacy = { Name: "sample", codeHash: hash, Enabled: true };
    assert.match(await status("/plugin/complete_install", legacy), /^409/);
  }
  assert.equal((await entry()).version, "1.10.0");
  // No edit of the entry changes what is compared with.
  const { version: _, ...fields } = await entry();
  for (const version of ["", "0.1.0"]) {
    await router.ask("PUT", "/plugins_api/sample", { body: { ...fields, version }, headers });
    assert.equal((await entry()).version, "1.10.0");
  }
  // What is accepted of the version accepts no other key.
  const unsigned = await review("1.8.0", null);
  assert.match(
    await status("/plugin/install", { hash: unsigned.hash, acceptOlder: true }),
    /^409 .*signed/,
  );
  const back = { hash: older.hash, acceptOlder: true };
  assert.match(await status("/plugin/install", back, {}), /^403/, "it needs a one-time password");
  assert.match(await status("/plugin/install", back), /^200/);
  assert.equal((await entry()).version, "1.9.0");
  assert.match(await install("1.10.0"), /^200/);
  // The same version again is none that is older.
  assert.match(await install("1.10.0"), /^200/);
});

Deno.test("a plugin that is not signed may be updated and downgraded freely", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  for (const version of ["2.0.0", "1.0.0"]) {
    const { hash } = await router.json<Review>("PUT", "/plugin/review", {
      body: { Archive: await signedArchive(version, null) },
      headers,
    });
    const answer = await router.ask("PUT", "/plugin/install", { body: { hash }, headers });
    assert.equal(answer.status, 200, await answer.text());
  }
});
