import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import { hashOf } from "../../../system/plugins/install/code.ts";

const MANIFEST = { Name: "sample", URI: "sample", Main: "main.ts" };

/** The plugin `sample` as an archive in base64, signed with a key or not. */
export async function signedArchive(Version: string, pair: CryptoKeyPair | null): Promise<string> {
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

/** A key pair to sign with. */
export async function newKey(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
}
