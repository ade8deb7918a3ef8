import { join } from "node:path";
import { files, removeFile, writeDurably } from "../core/config/files.ts";
import type { KeyPair } from "./x509.ts";

/** A pair of files: a certificate and its key. */
export interface PairPaths {
  readonly cert: string;
  readonly key: string;
}

/** Certificate files in a live tree, under the names that existing tools know. */
export interface CertificatePaths {
  readonly ca: PairPaths;
  readonly active: PairPaths;
  /** An installed certificate of another issuer, while TLS is off. */
  readonly disabled: PairPaths;
}

/** The certificate files below `configs/auth` of a home. */
export function certificatePaths(home: string): CertificatePaths {
  const folder = join(home, "configs/auth");
  const pair = (name: string, end = ""): PairPaths => ({
    cert: join(folder, `${name}.crt${end}`),
    key: join(folder, `${name}.key${end}`),
  });
  return {
    ca: pair("cert/www-api-ca"),
    active: pair("www-api"),
    disabled: pair("www-api", ".off"),
  };
}

/** Reads a pair; null unless both files exist. */
export async function readPair({ cert, key }: PairPaths): Promise<KeyPair | null> {
  const [certText, keyText] = await Promise.all([files.read(cert), files.read(key)]);
  return certText === null || keyText === null ? null : { cert: certText, key: keyText };
}

/** Writes the key first: a certificate without its key is one that cannot be used. */
export async function writePair(paths: PairPaths, pair: KeyPair): Promise<void> {
  await writeDurably(paths.key, pair.key, "certificate");
  await writeDurably(paths.cert, pair.cert, "certificate");
}

/** Moves a pair, or a certificate without its key; the certificate last, since it is what counts. */
export async function movePair(from: PairPaths, to: PairPaths): Promise<void> {
  if (await files.stamp(from.key) === null) await removeFile(to.key);
  else await files.move(from.key, to.key);
  await files.move(from.cert, to.cert);
}

/** Completes an interrupted {@link movePair}: the key was moved and the certificate was not. */
export async function finishMoves({ active, disabled }: CertificatePaths): Promise<void> {
  for (const [from, to] of [[active, disabled], [disabled, active]] as const) {
    const lies = async (path: string): Promise<boolean> => await files.stamp(path) !== null;
    const isCut = await lies(from.cert) && await lies(to.key) && !await lies(from.key) &&
      !await lies(to.cert);
    if (isCut) await files.move(from.cert, to.cert);
  }
}

/** Removes a pair, the certificate first. */
export async function removePair({ cert, key }: PairPaths): Promise<void> {
  for (const path of [cert, key]) await removeFile(path);
}
