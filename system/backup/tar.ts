import { Problem } from "../core/errors/problem.ts";
import { atOnce } from "../core/time/slices.ts";

/** A regular file of an archive. */
export interface TarFile {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What an archive may hold; whatever is beyond is refused as a whole. */
export const ARCHIVE_LIMITS = {
  files: 2000,
  /** Folders and remarks among them. */
  entries: 10_000,
  /** Bytes of one file. */
  file: 16 * 1024 * 1024,
  /** Parts of a path. */
  depth: 8,
} as const;

const BLOCK = 512;
/** Entries that say something of the next one, or of all: times and owners, which do not matter here. */
const PAX_HEADERS = new Set(["x", "g"]);

/**
 * The files of a tar archive (POSIX.1 ustar), folders left out. Throws Problem 400 for anything but
 * regular files and folders, for a path that leads elsewhere or could be taken for an option, for two
 * files of one path, and for what is cut short or broken.
 */
export function readTar(bytes: Uint8Array<ArrayBuffer>): readonly TarFile[] {
  return atOnce(readTarSteps(bytes));
}

/** The same in a step for each entry. */
export function* readTarSteps(
  bytes: Uint8Array<ArrayBuffer>,
): Generator<void, readonly TarFile[]> {
  const files = new Map<string, TarFile>();
  for (let at = 0, entries = 0; at < bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw refused("it is cut short");
    if (header.every((byte) => byte === 0)) return [...files.values()];
    if (++entries > ARCHIVE_LIMITS.entries) throw refused("it holds too many entries");
    yield;
    checkChecksum(header);
    const kind = String.fromCharCode(header[156]!).replace("\0", "0");
    const size = octal(header, { from: 124, length: 12 });
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (body.length < size) throw refused("it is cut short");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (PAX_HEADERS.has(kind)) {
      checkPaxHeader(body);
      continue;
    }
    const path = safePath(fullName(header));
    if (kind === "5") continue;
    if (kind !== "0") throw refused(`${shown(path)} is a ${KINDS[kind] ?? "special entry"}`);
    if (size > ARCHIVE_LIMITS.file) throw refused(`${shown(path)} is too large`);
    if (path === "") throw refused("a file has no name");
    if (files.has(path)) throw refused(`${shown(path)} is in it twice`);
    if (files.size >= ARCHIVE_LIMITS.files) throw refused("it holds too many files");
    files.set(path, { path, bytes: body });
  }
  throw refused("it has no end");
}

/** A tar archive of these files, of mode 0600 and at `time` (unix seconds). */
export function writeTar(files: readonly TarFile[], time: number): Uint8Array<ArrayBuffer> {
  const blocks = files.reduce((sum, { bytes }) => sum + 1 + Math.ceil(bytes.length / BLOCK), 2);
  const archive = new Uint8Array(blocks * BLOCK);
  let at = 0;
  for (const { path, bytes } of files) {
    archive.set(headerOf(path, bytes.length, time), at);
    archive.set(bytes, at + BLOCK);
    at += BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK;
  }
  return archive;
}

const KINDS: Readonly<Record<string, string>> = {
  1: "hard link",
  2: "symbolic link",
  3: "device",
  4: "device",
  6: "pipe",
  L: "name longer than 255 characters",
  S: "sparse file",
};

function refused(why: string): Problem {
  return new Problem(400, `The archive is refused: ${why}`);
}

/** A quoted path for error messages: an archive may contain any name. */
function shown(path: string): string {
  return JSON.stringify(path.slice(0, 100));
}

function checkChecksum(header: Uint8Array): void {
  const wanted = octal(header, { from: 148, length: 8 });
  const sum = header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== wanted) throw refused("it is broken, or no tar archive");
}

/** A pax record that renames, resizes or relinks the next entry would say other things than we read. */
function checkPaxHeader(body: Uint8Array): void {
  const text = new TextDecoder().decode(body);
  for (const [, key] of text.matchAll(/^\d+ ([^=\n]+)=/gm)) {
    if (["path", "linkpath", "size"].includes(key!) || key!.startsWith("GNU.sparse")) {
      throw refused(`it holds an entry with a ${key} of its own kind`);
    }
  }
}

function octal(
  header: Uint8Array,
  { from, length }: { readonly from: number; readonly length: number },
): number {
  const text = cut(header.subarray(from, from + length)).trim();
  if (!/^[0-7]{0,12}$/.test(text)) throw refused("it is broken, or no tar archive");
  return text === "" ? 0 : parseInt(text, 8);
}

function fullName(header: Uint8Array): string {
  const name = cut(header.subarray(0, 100));
  const isUstar = cut(header.subarray(257, 262)) === "ustar";
  // GNU's own format has times where POSIX has the beginning of the name.
  const prefix = isUstar && header[262] === 0 ? cut(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function cut(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  try {
    return new TextDecoder("utf-8", { fatal: true })
      .decode(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    throw refused("a name in it is no text");
  }
}

/** The path without empty parts and `.`. Throws where it leads elsewhere. */
function safePath(name: string): string {
  const odd = name.startsWith("/") || name.includes("\\") ||
    // deno-lint-ignore no-control-regex
    /[\u0000-\u001f\u007f]/.test(name);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (odd || parts.some((part) => part === ".." || part.startsWith("-"))) {
    throw refused(`the path ${shown(name)} leads elsewhere or is no plain name`);
  }
  if (parts.length > ARCHIVE_LIMITS.depth) throw refused(`${shown(name)} lies too deep`);
  return parts.join("/");
}

function headerOf(path: string, size: number, time: number): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const header = new Uint8Array(BLOCK);
  const put = (text: string, at: number): void => header.set(encoder.encode(text), at);
  const number = (value: number, digits: number): string =>
    `${value.toString(8).padStart(digits, "0")}\0`;
  const [name, prefix] = splitName(path);
  put(name, 0);
  put(number(0o600, 7), 100);
  put(number(0, 7), 108);
  put(number(0, 7), 116);
  put(number(size, 11), 124);
  put(number(Math.max(0, Math.floor(time)), 11), 136);
  put(" ".repeat(8), 148);
  put("0", 156);
  put("ustar\x0000", 257);
  put(prefix, 345);
  const sum = header.reduce((sum, byte) => sum + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Name (100 bytes) and what stands before it (155 bytes). Throws RangeError for a longer path. */
function splitName(path: string): readonly [string, string] {
  const length = (text: string): number => new TextEncoder().encode(text).length;
  if (length(path) <= 100) return [path, ""];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const prefix = path.slice(0, at), name = path.slice(at + 1);
    if (length(name) <= 100 && length(prefix) <= 155) return [name, prefix];
  }
  throw new RangeError(`The path ${path} is too long for an archive`);
}
