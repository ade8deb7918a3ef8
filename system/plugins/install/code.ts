import { createHash } from "node:crypto";
import { invalid, pointer, Problem } from "../../core/errors/problem.ts";
import { MANIFEST, Manifest } from "../deno/manifest.ts";

/** The files of a signature: 64 bytes over the manifest, and the public key that it holds for, as PEM. */
export const SIGNATURE = "plugin.sig", PUBLIC_KEY = "plugin.pub";

/** A file of a plugin. */
export interface CodeFile {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a plugin may bring; whatever is beyond is refused as a whole. */
export const CODE_LIMITS = {
  files: 500,
  /** Bytes of all files together. */
  bytes: 16 << 20,
  /** Parts of a path. */
  depth: 8,
} as const;

/** The files of a plugin, checked, with what tells them from any other. */
export interface PluginCode {
  readonly manifest: Manifest;
  /** SHA-256 of all files. */
  readonly hash: string;
  readonly files: readonly CodeFile[];
}

/**
 * Takes the files of a plugin. A folder around all of them is left out, as archives have it. Throws
 * Problem 400 where there is no usable manifest, or the files are not those that it names.
 */
export function readCode(given: readonly CodeFile[]): PluginCode {
  const files = withoutOuterFolder(given);
  if (files.length > CODE_LIMITS.files) {
    throw new Problem(400, `A plugin has at most ${CODE_LIMITS.files} files`);
  }
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > CODE_LIMITS.bytes) {
    throw new Problem(400, `A plugin has at most ${CODE_LIMITS.bytes >> 20} MiB`);
  }
  for (const { path } of files) checkPath(path);
  const manifest = readManifest(files.find(({ path }) => path === MANIFEST)?.bytes);
  if (!files.some(({ path }) => path === manifest.Main)) {
    throw invalid("/Main", `The plugin has no file ${manifest.Main}`);
  }
  // A signature is over the manifest, so the manifest cannot name it.
  const others = hashOf(
    files.filter(({ path }) => ![MANIFEST, SIGNATURE, PUBLIC_KEY].includes(path)),
  );
  if (manifest.Hash !== "" && manifest.Hash !== others) {
    throw invalid("/Hash", `The files are not those that the manifest names: theirs is ${others}`);
  }
  return { manifest, hash: hashOf(files), files };
}

/** SHA-256 of files by path, size and content, in hex: the same whatever their order. */
export function hashOf(files: readonly CodeFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of files.toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  }
  return hash.digest("hex");
}

function withoutOuterFolder(files: readonly CodeFile[]): readonly CodeFile[] {
  if (files.some(({ path }) => path === MANIFEST)) return files;
  const [outer] = files[0]?.path.split("/") ?? [];
  const inside = `${outer}/`;
  return files.every(({ path }) => path.startsWith(inside))
    ? files.map(({ path, bytes }) => ({ path: path.slice(inside.length), bytes }))
    : files;
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const isPlain = parts.every((part) =>
    /^[A-Za-z0-9_@+=,()[\] -][A-Za-z0-9._@+=,()[\] -]*$/.test(part)
  );
  if (!isPlain || parts.some((part) => part.startsWith("-")) || parts.length > CODE_LIMITS.depth) {
    throw new Problem(400, `The plugin has a file with a name that is refused: ${shown(path)}`);
  }
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 100));
}

function readManifest(bytes: Uint8Array | undefined): Manifest {
  if (bytes === undefined) throw new Problem(400, `The plugin has no ${MANIFEST}`);
  let raw: unknown;
  try {
    raw = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, `${MANIFEST} is not JSON`);
  }
  const parsed = Manifest.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new Problem(400, `${MANIFEST} is refused: ${parsed.error.issues[0]!.message}`, {
    errors: parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
      pointer: pointer(path),
      message,
    })),
  });
}
