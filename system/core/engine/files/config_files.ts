import { withoutDirectionMarks } from "./stored_text.ts";
import { dirname, join } from "node:path";
import type { Document, Documents, Reading, RejectedEntry } from "../../config/document.ts";
import type { Files, Staged, Stamp } from "../../config/files.ts";
import { digest, fileBytes, isRecord, prepareFile } from "../../config/json.ts";
import { isTooDeep } from "../../config/large_json.ts";
import { isForeign } from "./foreign_file.ts";
import { Problem } from "../../errors/problem.ts";
import { errorText } from "../../errors/error_text.ts";

/** What lies on disk for one document. */
export type Found<T> =
  | { readonly kind: "missing" }
  /** Exactly what was last written here. */
  | { readonly kind: "ours" }
  /** Nothing of it can be used: empty, no JSON, or refused by the document. */
  | { readonly kind: "broken"; readonly reason: string; readonly text: string }
  /** Something is there that cannot be read: another owner or mode, a folder, a loop of links. */
  | { readonly kind: "unreadable"; readonly reason: string }
  | {
    readonly kind: "read";
    readonly reading: Reading<T>;
    readonly digest: string;
    /** Nothing in it belongs to this document, although something is in it. */
    readonly foreign: boolean;
  };

/** A document's value together with the entries of its file that are rejected. */
export interface Image<T> {
  readonly value: T;
  readonly rejected: readonly RejectedEntry[];
}

/** Hash of what a file says: equal for equal values and rejected entries. */
export function imageDigest(image: Image<unknown>): string {
  const value = digest(image.value);
  return image.rejected.length === 0
    ? value
    : `${value}+${digest(image.rejected.map((entry) => digest(entry.raw)).sort())}`;
}

/** Reads and stages the files of a configuration. Remembers what it last saw of each. */
export class ConfigFiles<C> {
  readonly #documents: Documents<C>;
  readonly #folder: string;
  readonly #files: Files;
  readonly #stamps = new Map<string, Stamp>();
  /** What was last written of each document. */
  readonly #written = new Map<string, Uint8Array>();
  /** Files that were put in place and not synced since; nor were their folders. */
  readonly #unsynced = new Set<string>();

  /** `folder` is the `configs` folder of the home. */
  constructor(documents: Documents<C>, folder: string, files: Files) {
    this.#documents = documents;
    this.#folder = folder;
    this.#files = files;
  }

  get names(): readonly (keyof C & string)[] {
    return Object.keys(this.#documents) as (keyof C & string)[];
  }

  document<K extends keyof C & string>(name: K): Document<C[K]> {
    return this.#documents[name];
  }

  path(name: keyof C & string): string {
    return join(this.#folder, this.#documents[name].path);
  }

  /** Name of the document that lies at a path, if one does. */
  nameAt(path: string): (keyof C & string) | undefined {
    return this.names.find((name) => this.path(name) === path);
  }

  /** Reads a document's file as it is now. */
  async find<K extends keyof C & string>(name: K): Promise<Found<C[K]>> {
    const path = this.path(name);
    let text: string | null;
    try {
      this.#stamps.set(name, await this.#files.stamp(path));
      text = await this.#files.read(path);
    } catch (error) {
      // Whatever the file system says, one file keeps nobody from starting.
      return { kind: "unreadable", reason: errorText(error) };
    }
    if (text === null) return { kind: "missing" };
    if (says(this.#written.get(name), text)) return { kind: "ours" };
    this.#written.delete(name);
    try {
      const raw = parse(text);
      const document = this.#documents[name];
      const reading = document.read(withoutDirectionMarks(raw, document));
      const foreign = isForeign(raw, document, reading);
      return { kind: "read", reading, digest: imageDigest(reading), foreign };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: "broken", reason, text };
    }
  }

  /** What an existing router's file says in its place; null where there is none or it says nothing. */
  async findOlder<K extends keyof C & string>(name: K): Promise<Reading<C[K]> | null> {
    const { older } = this.#documents[name];
    const text = older === undefined
      ? null
      : await this.#files.read(join(this.#folder, older.path));
    if (text === null) return null;
    return older!.read(older!.isText === true ? text : parse(text));
  }

  /** True when a file is not as it was last seen or written, or nobody can tell. */
  async touched(name: keyof C & string): Promise<boolean> {
    try {
      return await this.#files.stamp(this.path(name)) !== this.#stamps.get(name);
    } catch {
      return true;
    }
  }

  /** Does in small steps what {@link stage} takes long for. */
  *prepare<K extends keyof C & string>(name: K, value: C[K]): Generator<void, void> {
    const document = this.#documents[name];
    yield* prepareFile(document.write === undefined ? value : document.write(value));
  }

  /** Writes a document beside its file. */
  async stage<K extends keyof C & string>(
    name: K,
    image: Image<C[K]>,
    id: string,
  ): Promise<StagedDocument> {
    const bytes = this.#bytesOf(name, image);
    return { name, bytes, staged: await this.#files.stage(this.path(name), bytes, id) };
  }

  /**
   * Renames staged documents into place. The journal has them until {@link settle}, so that nobody waits
   * for a sync; {@link isTorn} recognizes what a power cut leaves of them.
   */
  async place(documents: readonly StagedDocument[]): Promise<void> {
    if (documents.length === 0) return;
    for (const { name, bytes } of documents) this.#written.set(name, bytes);
    for (const { staged } of documents) this.#unsynced.add(staged.path);
    await this.#files.place(documents.map(({ staged }) => staged));
    for (const { name, staged } of documents) {
      this.#stamps.set(name, await this.#files.stamp(staged.path));
    }
  }

  /** Makes every file that was put in place durable there. */
  async settle(): Promise<void> {
    const paths = [...this.#unsynced];
    this.#unsynced.clear();
    try {
      await this.#files.syncFiles(paths);
      await this.#files.syncFolders([...new Set(paths.map((path) => dirname(path)))]);
    } catch (error) {
      for (const path of paths) this.#unsynced.add(path);
      throw error;
    }
  }

  /** True when a file is what a power cut left of the writing of one of these images. */
  async isTorn<K extends keyof C & string>(
    name: K,
    images: readonly Image<C[K]>[],
  ): Promise<boolean> {
    const found = await this.#files.readBytes(this.path(name));
    return found !== null &&
      images.some((image) => isTornCopy(found, this.#bytesOf(name, image)));
  }

  #bytesOf<K extends keyof C & string>(name: K, image: Image<C[K]>): Uint8Array<ArrayBuffer> {
    const document = this.#documents[name];
    const written = document.write === undefined ? image.value : document.write(image.value);
    return fileBytes(withRejected(written, image.rejected));
  }

  async discard(documents: readonly StagedDocument[]): Promise<void> {
    await this.#files.discard(documents.map(({ staged }) => staged));
  }

  /** Keeps a file that cannot be used as `<name>.rejected` and says where. */
  async reject(name: keyof C & string): Promise<string> {
    const rejected = `${this.path(name)}.rejected`;
    await this.#files.move(this.path(name), rejected);
    return `${this.#documents[name].path}.rejected`;
  }

  async sweep(): Promise<void> {
    for (const name of this.names) {
      await this.#files.sweep(this.path(name)).catch(() => {
        // A folder that cannot be listed keeps what a crash left in it.
      });
    }
  }
}

/** A document that waits beside its file. */
export interface StagedDocument {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly staged: Staged;
}

/**
 * True for bytes that are a file as far as it came to the disk before a power cut: it ends early, or
 * blocks of it were never written and read as zeros.
 */
function isTornCopy(found: Uint8Array, whole: Uint8Array): boolean {
  return found.length <= whole.length &&
    found.every((byte, at) => byte === 0 || byte === whole[at]);
}

function says(bytes: Uint8Array | undefined, text: string): boolean {
  return bytes !== undefined && new TextDecoder().decode(bytes) === text;
}

function parse(text: string): unknown {
  if (text.trim() === "") throw new Problem(400, "The file is empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may hold secrets; only the position is reported.
    const position = /\(line \d+ column \d+\)$/.exec((error as Error).message)?.[0];
    throw new Problem(
      400,
      position === undefined ? "It is not JSON" : `It is not JSON ${position}`,
    );
  }
  if (isTooDeep(value)) throw new Problem(400, "It is nested too deeply");
  return value;
}

/** Puts entries that are rejected back where they stood, unless something valid took their place. */
function withRejected(written: unknown, rejected: readonly RejectedEntry[]): unknown {
  return rejected.reduce((whole, entry) => {
    const path = entry.pointer.split("/").slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    return insert(whole, path, entry.raw);
  }, written);
}

function insert(value: unknown, path: readonly string[], raw: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(value)) {
    const index = Number(head);
    if (rest.length === 0) return value.toSpliced(Math.min(index, value.length), 0, raw);
    return index < value.length ? value.with(index, insert(value[index], rest, raw)) : value;
  }
  if (!isRecord(value)) return value;
  if (rest.length > 0) {
    return Object.hasOwn(value, head)
      ? { ...value, [head]: insert(value[head], rest, raw) }
      : value;
  }
  return Object.hasOwn(value, head) ? value : { ...value, [head]: raw };
}
