import { hashOf, PUBLIC_KEY, SIGNATURE } from "./code.ts";
import { MANIFEST } from "../deno/manifest.ts";
import { readFolder } from "./folder.ts";

/**
 * Signs a plugin: `deno task plugin:sign <folder> <key.pem>`, with an Ed25519 key of
 * `openssl genpkey -algorithm ed25519 -out key.pem` (PKCS #8). Writes the hash of the other files into the
 * manifest, and the signature and the public key beside it.
 */
const [folder, keyFile] = Deno.args;
if (folder === undefined || keyFile === undefined) {
  throw new Error("Name the folder of the plugin and the file of the key");
}
const inFolder = (name: string) => `${folder}/${name}`;
const pem = await Deno.readTextFile(keyFile);
const der = Uint8Array.fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ""));
const key = await crypto.subtle.importKey("pkcs8", der, "Ed25519", true, ["sign"]);
const { x } = await crypto.subtle.exportKey("jwk", key);
const publicKey = await crypto.subtle.importKey(
  "jwk",
  { kty: "OKP", crv: "Ed25519", x: x! },
  "Ed25519",
  true,
  ["verify"],
);
const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)).toBase64();
const names = [MANIFEST, SIGNATURE, PUBLIC_KEY];
const files = (await readFolder(folder)).filter(({ path }) => !names.includes(path));
const manifest = JSON.parse(await Deno.readTextFile(inFolder(MANIFEST)));
const text = new TextEncoder().encode(
  `${JSON.stringify({ ...manifest, Hash: hashOf(files) }, null, 2)}\n`,
);
await Deno.writeFile(inFolder(MANIFEST), text);
await Deno.writeFile(
  inFolder(SIGNATURE),
  new Uint8Array(await crypto.subtle.sign("Ed25519", key, text)),
);
await Deno.writeTextFile(
  inFolder(PUBLIC_KEY),
  `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`,
);
