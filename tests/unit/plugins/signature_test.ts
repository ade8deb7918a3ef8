import assert from "node:assert/strict";
import { hashOf, readCode } from "../../../system/plugins/install/code.ts";
import { readFolder } from "../../../system/plugins/install/folder.ts";
import { isSignedBy, signerOf } from "../../../system/plugins/install/signature.ts";
import { command, must } from "../../kit/lab/command.ts";
import { inFolder } from "../../kit/process.ts";

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(/\s/g, ""));
const ROOT = new URL("../../../", import.meta.url).pathname;

/** Vectors of RFC 8032 section 7.1: public key, message, signature. */
const VECTORS: readonly (readonly [key: string, message: string, signature: string])[] = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555" +
    "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac" +
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
];

Deno.test("signatures of RFC 8032 hold, and with one bit changed anywhere they do not", async () => {
  for (const [key, message, signature] of VECTORS) {
    const signed = { message: hex(message), signature: hex(signature) };
    assert.equal(await isSignedBy(hex(key), signed), true, key);
    for (const at of [0, 31, 32, 63]) {
      const other = hex(signature);
      other[at]! ^= 1;
      assert.equal(await isSignedBy(hex(key), { ...signed, signature: other }), false);
    }
    const otherKey = hex(key);
    otherKey[5]! ^= 1;
    assert.equal(await isSignedBy(otherKey, signed), false);
    const more = Uint8Array.of(...signed.message, 0);
    assert.equal(await isSignedBy(hex(key), { ...signed, message: more }), false);
  }
  const [key, , signature] = VECTORS[0]!;
  for (const short of ["", signature.slice(2), `${signature}00`]) {
    assert.equal(
      await isSignedBy(hex(key), { message: hex(""), signature: hex(short) }),
      false,
      "another length",
    );
  }
  assert.equal(
    await isSignedBy(hex("ff".repeat(32)), { message: hex(""), signature: hex(signature) }),
    false,
  );
});

const MANIFEST = { Name: "sample", URI: "sample", Version: "1.0.0", Main: "main.ts" };

/** A plugin in a folder, signed by the task of the project with a new key of openssl. */
async function signed(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/sample`);
  await Deno.writeTextFile(`${folder}/sample/plugin.json`, JSON.stringify(MANIFEST));
  await Deno.writeTextFile(`${folder}/sample/main.ts`, "1");
  await must("openssl", ["genpkey", "-algorithm", "ed25519", "-out", `${folder}/key.pem`]);
  await must(Deno.execPath(), [
    ...["run", "-q", "--no-check", "--allow-read", "--allow-write"],
    ...["--config", `${ROOT}deno.json`, `${ROOT}system/plugins/install/sign.ts`],
    ...[`${folder}/sample`, `${folder}/key.pem`],
  ]);
}

Deno.test("a plugin signed by the task, or by openssl, has the same signer; a changed one is refused", async () => {
  await inFolder(async (folder) => {
    await signed(folder);
    const plugin = `${folder}/sample`;
    const read = async () => await signerOf(readCode(await readFolder(plugin)));
    const signer = await read();
    const der = await must("openssl", [
      ...["pkey", "-in", `${folder}/key.pem`, "-pubout", "-out", `${folder}/again.pub`],
    ]);
    assert.equal(der, "");
    assert.equal(
      await Deno.readTextFile(`${folder}/again.pub`),
      await Deno.readTextFile(`${plugin}/plugin.pub`),
    );
    assert.match(signer, /^[0-9a-f]{64}$/);
    await must("openssl", [
      ...["pkeyutl", "-sign", "-rawin", "-inkey", `${folder}/key.pem`],
      ...["-in", `${plugin}/plugin.json`, "-out", `${plugin}/plugin.sig`],
    ]);
    assert.equal(await read(), signer);
    await Deno.writeTextFile(`${plugin}/main.ts`, "2");
    await assert.rejects(read, /The files are not those that the manifest names/);
    await Deno.writeTextFile(`${plugin}/main.ts`, "1");
    const manifest = await Deno.readTextFile(`${plugin}/plugin.json`);
    await Deno.writeTextFile(`${plugin}/plugin.json`, manifest.replace("1.0.0", "1.0.1"));
    await assert.rejects(read, /is not that of plugin\.json/);
    await Deno.remove(`${plugin}/plugin.pub`);
    await assert.rejects(read, /has both/);
    await Deno.remove(`${plugin}/plugin.sig`);
    assert.equal(await read(), "", "it is not signed any more");
    const none = await command(Deno.execPath(), [
      ...["run", "-q", "--no-check", `${ROOT}system/plugins/install/sign.ts`],
    ]);
    assert.notEqual(none.code, 0);
  });
});

Deno.test("keys and signatures of another form are refused with a sentence", async () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const main = { path: "main.ts", bytes: encode("1") };
  const code = (pem: string, signature: Uint8Array<ArrayBuffer>, Hash = hashOf([main])) =>
    readCode([
      { path: "plugin.json", bytes: encode(JSON.stringify({ ...MANIFEST, Hash })) },
      main,
      { path: "plugin.pub", bytes: encode(pem) },
      { path: "plugin.sig", bytes: signature },
    ]);
  const pemOf = (der: Uint8Array) =>
    `-----BEGIN PUBLIC KEY-----\n${der.toBase64()}\n-----END PUBLIC KEY-----\n`;
  const good = hex(`302a300506032b6570032100${VECTORS[0]![0]}`);
  const zero = new Uint8Array(64);
  for (
    const pem of [
      ...[
        "",
        "x",
        pemOf(good.subarray(1)),
        pemOf(hex(`302a300506032b6571032100${"00".repeat(32)}`)),
      ],
      ...[pemOf(good).replace("PUBLIC", "PRIVATE"), `${pemOf(good)}${pemOf(good)}`],
    ]
  ) await assert.rejects(signerOf(code(pem, zero)), /no Ed25519 key in PEM/, pem);
  for (const signature of [zero, zero.subarray(1), new Uint8Array(0)]) {
    await assert.rejects(signerOf(code(pemOf(good), signature)), /is not that of/);
  }
  await assert.rejects(signerOf(code(pemOf(good), zero, "")), /names the other files by Hash/);
});
