import { Buffer } from "node:buffer";
import { join } from "node:path";
import { type Document, type Documents, readingSteps } from "../core/config/document.ts";
import { files } from "../core/config/files.ts";
import { digest, fileBytes, prepareDigest, prepareFile } from "../core/config/json.ts";
import { largeJson } from "../core/config/large_json.ts";
import { conflict, notFound, Problem, sentence } from "../core/errors/problem.ts";
import type { LinkFact } from "../core/kernel/facts.ts";
import { collect, noBackup } from "./collect.ts";
import { inTurns } from "../core/time/slices.ts";
import { gunzip, gzip } from "./gzip.ts";
import { inventoryOf, MACHINE_INTERFACES } from "./machine_interfaces.ts";
import { type BackupItem, BackupName } from "./schema.ts";
import { readTarSteps, type TarFile, writeTar } from "./tar.ts";

/** Backups that are kept at most; people delete those that they no longer want. */
const MAX_BACKUPS = 40;
const ROOT = "configs";

/** Dependencies of {@link Backups}. */
export interface BackupsOptions<C> {
  readonly home: string;
  /** `0.1.0`, with or without a suffix. */
  readonly version: string;
  readonly documents: Documents<C>;
  /** The active configuration: another value after every change. */
  readonly config: () => C;
  /** The machine's links, by which another machine later tells which network adapter was which. */
  readonly links: () => Promise<readonly LinkFact[]>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Backups of the configuration in `state/backups`, readable by Sluice alone (0600). */
export class Backups<C> {
  readonly #options: BackupsOptions<C>;
  readonly #folder: string;
  /** One is kept after the other: each must see the names of those before. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: BackupsOptions<C>) {
    this.#options = options;
    this.#folder = join(options.home, "state/backups");
  }

  /**
   * Archives the whole `configs` folder; returns the name. Throws Problem 409 when there are too many,
   * or for a folder that could not be restored.
   */
  async create(): Promise<string> {
    const tree = await this.#tree();
    return await this.#add("at", await this.#packed(tree));
  }

  /** Stores an uploaded archive; returns its name. Throws Problem 400, 409, 413. */
  async add(packed: Uint8Array<ArrayBuffer>): Promise<string> {
    await inTurns(readTarSteps(await gunzip(packed)));
    return await this.#add("upload", packed);
  }

  /** All of them, newest first. */
  async list(): Promise<readonly BackupItem[]> {
    const items: (BackupItem & { readonly at: number })[] = [];
    try {
      for await (const { name, isFile } of Deno.readDir(this.#folder)) {
        if (!isFile || !BackupName.safeParse(name).success) continue;
        const file = await Deno.stat(join(this.#folder, name)).catch(nullIfMissing);
        // It was deleted meanwhile.
        if (file === null) continue;
        const { mtime, size } = file;
        const at = mtime ?? new Date(0);
        items.push({ Name: name, Timestamp: at.toISOString(), Size: size, at: at.getTime() });
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return items.sort((a, b) => b.at - a.at || (a.Name < b.Name ? 1 : -1))
      .map(({ at: _, ...item }) => item);
  }

  /** The bytes of one. Throws Problem 404. */
  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await Deno.readFile(this.#path(name));
    } catch (error) {
      throw notFoundError(error);
    }
  }

  /** The files of one. Throws Problem 400, 404, 413. */
  async open(name: string): Promise<readonly TarFile[]> {
    return await inTurns(readTarSteps(await gunzip(await this.read(name))));
  }

  /** Throws Problem 404. */
  async remove(name: string): Promise<void> {
    try {
      await Deno.remove(this.#path(name));
    } catch (error) {
      throw notFoundError(error);
    }
  }

  /** Only a name of ours becomes a path. */
  #path(name: string): string {
    return join(this.#folder, BackupName.parse(name));
  }

  /** An archive of these files, read back once. Throws Problem 409. */
  async #packed(tree: readonly TarFile[]): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const packed = await gzip(writeTar(tree, this.#options.now() / 1000));
      await inTurns(readTarSteps(await gunzip(packed)));
      return packed;
    } catch (error) {
      if (error instanceof Problem || error instanceof RangeError) throw noBackup(error.message);
      throw error;
    }
  }

  /**
   * The tree with the active configuration in every document: a change under way puts one file after
   * the other in its place, and documents that were never changed have none.
   */
  async #tree(): Promise<readonly TarFile[]> {
    const { home, documents, config } = this.#options;
    const files = new Map<string, TarFile>();
    for (const file of await collect(join(home, ROOT), ROOT)) files.set(file.path, file);
    const active = config();
    for (const name of Object.keys(documents) as (keyof C & string)[]) {
      const document = documents[name], value = active[name];
      const path = `${ROOT}/${document.path}`;
      const written = document.write?.(value) ?? value;
      await inTurns(prepareFile(written));
      const bytes = fileBytes(written);
      if (!await inTurns(holdsValue(files.get(path), document, { value, bytes }))) {
        files.set(path, { path, bytes });
      }
    }
    const path = `${ROOT}/${MACHINE_INTERFACES}`;
    files.set(path, { path, bytes: fileBytes(inventoryOf(await this.#options.links())) });
    return [...files.values()];
  }

  #add(origin: "at" | "upload", packed: Uint8Array<ArrayBuffer>): Promise<string> {
    const added = this.#queue.then(() => this.#write(origin, packed));
    this.#queue = added.catch(() => {
      // The caller gets the error.
    });
    return added;
  }

  async #write(origin: "at" | "upload", packed: Uint8Array<ArrayBuffer>): Promise<string> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = new Set((await this.list()).map(({ Name }) => Name));
    if (names.size >= MAX_BACKUPS) {
      throw conflict(
        sentence("There are {limit} backups already; delete one first", { limit: MAX_BACKUPS }),
      );
    }
    const version = /^\d+\.\d+\.\d+/.exec(this.#options.version)?.[0] ?? "0.0.0";
    let name: string, at = this.#options.now();
    do {
      const time = new Date(at).toISOString().replaceAll(/[-:]/g, "").slice(0, 15);
      name = `spr-configs-v${version}-${origin}.${time.replace("T", "-")}.tgz`;
      at += 1000;
    } while (names.has(name));
    const path = join(this.#folder, name);
    await files.place([await files.stage(path, packed, "backup")]);
    await files.syncFiles([path]);
    await files.syncFolders([this.#folder]);
    return name;
  }
}

/**
 * True for a file of a document that holds this value, of which these are the bytes; its form and its
 * rejected entries stay then. In small steps.
 */
function* holdsValue<T>(
  file: TarFile | undefined,
  document: Document<T>,
  { value, bytes }: { readonly value: T; readonly bytes: Uint8Array },
): Generator<void, boolean> {
  if (file === undefined) return false;
  if (Buffer.compare(file.bytes, bytes) === 0) return true;
  try {
    const raw = yield* largeJson(new TextDecoder().decode(file.bytes));
    const { value: content } = yield* readingSteps(document, raw);
    yield* prepareDigest(content);
    yield* prepareDigest(value);
    return digest(content) === digest(value);
  } catch {
    // It is invalid: the last valid one stays active.
    return false;
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Deno.errors.NotFound) return null;
  throw error;
}

function notFoundError(error: unknown): unknown {
  return error instanceof Deno.errors.NotFound ? notFound("There is no such backup") : error;
}
