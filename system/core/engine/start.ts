import { withoutDirectionMarks } from "./files/stored_text.ts";
import { type ConfigFiles, type Found, type Image, imageDigest } from "./files/config_files.ts";
import { draftImage } from "./journal/change_rows.ts";
import { isFileError } from "../errors/disk_error.ts";
import type { RejectedEntry } from "../config/document.ts";
import type { ChangeRow, DocumentRow, Journal, WindowRow } from "./journal/journal.ts";
import type { Log } from "../log/log.ts";
import type { NoticeBoard } from "../events/notice.ts";
import { applyPatch } from "./journal/patch.ts";
import { reject, reportUnreadable, restore } from "./files/restore.ts";
import { atOnce } from "../time/slices.ts";

/** What a start needs. */
export interface StartOptions<C> {
  readonly files: ConfigFiles<C>;
  readonly journal: Journal;
  readonly notices: NoticeBoard;
  readonly log: Log;
}

/** What a start finds: the configuration to activate, and what is to be done then. */
export interface Started<C> {
  readonly config: C;
  readonly rejected: ReadonlyMap<string, readonly RejectedEntry[]>;
  readonly window: WindowRow | undefined;
  /** Files that someone edited while nothing ran. */
  readonly edited: readonly (keyof C & string)[];
  /** Files that cannot be read, with the reason. */
  readonly unreadable: ReadonlyMap<keyof C & string, string>;
  /** Documents whose files could not be made to say what is active. */
  readonly unplaced: readonly (keyof C & string)[];
  /** Committed changes whose files are in place now. */
  readonly complete: readonly ChangeRow[];
}

type Name<C> = keyof C & string;

/**
 * Finds the configuration that was active: takes back what was pending, carries the last images on
 * by the committed changes, and makes the files say so. Edited files are left for later.
 */
export async function start<C>(options: StartOptions<C>): Promise<Started<C>> {
  const { files, journal } = options;
  const { documents, unfinished, window } = await journal.load();
  await ifRoom(options, async () => {
    await journal.drop(unfinished.filter((row) => row.state === "pending"));
    await journal.mark(unfinished.filter((row) => row.state === "broken"), "failed");
  });
  await files.sweep();
  const committed = unfinished.filter((row) => row.state === "committed");
  const later = await journal.since(Math.min(...documents.map((row) => row.seq), journal.last));
  const images = new Map<Name<C>, Image<C[Name<C>]>>();
  const edited: Name<C>[] = [];
  const firstImages: DocumentRow[] = [];
  const unreadable = new Map<Name<C>, string>();
  const unplaced: Name<C>[] = [];
  await ifRoom(options, () => options.notices.settle("config-unreadable"));
  for (const name of files.names) {
    const row = documents.find((document) => document.name === name);
    const stored = row === undefined ? null : carryOn(name, row, { later, options });
    const found = await files.find(name);
    if (found.kind === "unreadable") {
      unreadable.set(name, found.reason);
      await ifRoom(options, () => reportUnreadable(name, found.reason, options));
      // Without an image it is read once it can be, as by a first start.
      images.set(name, stored ?? { value: files.document(name).fallback, rejected: [] });
      continue;
    }
    if (stored === null) {
      const image = await firstImage(name, found, options);
      images.set(name, image);
      firstImages.push(atOnce(draftImage(name, image, journal.last)));
      continue;
    }
    images.set(name, stored);
    const known = new Set([row!.written, ...committed.map((change) => change.digests?.[name])]);
    const settled = await ifRoom(options, async () => {
      const ours = () => imagesOf(name, row!, { committed, later, options });
      if (await settle(name, { found, stored, known, ours }, options)) edited.push(name);
    });
    if (!settled) unplaced.push(name);
  }
  await ifRoom(options, () => journal.keepImages(firstImages));
  return {
    config: Object.fromEntries([...images].map(([name, { value }]) => [name, value])) as C,
    rejected: new Map([...images].map(([name, { rejected }]) => [name, rejected])),
    window,
    edited,
    unreadable,
    unplaced,
    complete: committed,
  };
}

/**
 * Tidies up, which a start does without where the file system does not let it: the
 * configuration is known all the same. Answers whether it went well.
 */
async function ifRoom(
  { log }: { readonly log: Log },
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isFileError(error)) throw error;
    log.error(
      "engine.start_incomplete",
      "Start-up could not write its changes; the next start tries again",
      { error },
    );
    return false;
  }
}

/** The value of a document by the journal; null when unknown. */
function carryOn<C, K extends Name<C>>(
  name: K,
  row: DocumentRow,
  context: { readonly later: readonly ChangeRow[]; readonly options: StartOptions<C> },
): Image<C[K]> | null {
  const document = context.options.files.document(name);
  try {
    const image = JSON.parse(row.image) as Image<unknown>;
    const value = context.later.filter((change) => change.seq > row.seq).reduce(
      (value, change) =>
        applyPatch(
          value,
          change.patch.filter((entry) => entry.document === name),
          document.keyOf,
        ),
      image.value,
    );
    // Read as a file is, since the shape may have grown since it was kept.
    const written = document.write === undefined ? value : document.write(value as C[K]);
    const { value: read } = document.read(withoutDirectionMarks(written, document));
    return { value: read, rejected: image.rejected };
  } catch (error) {
    context.options.log.error(
      "journal.image_unusable",
      "The last image of a document cannot be used",
      { name, error },
    );
    return null;
  }
}

/** The document as each change left it whose file may not have come to the disk whole. */
function imagesOf<C, K extends Name<C>>(
  name: K,
  row: DocumentRow,
  context: {
    readonly committed: readonly ChangeRow[];
    readonly later: readonly ChangeRow[];
    readonly options: StartOptions<C>;
  },
): readonly Image<C[K]>[] {
  const { committed, later, options } = context;
  const written = committed.filter(({ digests }) => digests?.[name] !== undefined);
  return written.flatMap(({ seq }) => {
    const until = later.filter((change) => change.seq <= seq);
    const image = carryOn<C, K>(name, row, { later: until, options });
    return image === null ? [] : [image];
  });
}

async function firstImage<C, K extends Name<C>>(
  name: K,
  found: Found<C[K]>,
  options: StartOptions<C>,
): Promise<Image<C[K]>> {
  if (found.kind === "read") return found.reading;
  if (found.kind === "broken") {
    await ifRoom(options, () => reject(name, found.reason, options));
  }
  return await olderImage(name, options) ??
    { value: options.files.document(name).fallback, rejected: [] };
}

/** What an existing router kept elsewhere, written to the file where we keep it. */
async function olderImage<C, K extends Name<C>>(
  name: K,
  options: StartOptions<C>,
): Promise<Image<C[K]> | null> {
  const { older } = options.files.document(name);
  try {
    const image = await options.files.findOlder(name);
    if (image === null) return null;
    await restore(name, image, options);
    options.log.info(
      "engine.file_imported",
      "Imported a configuration file of an existing router",
      { name, path: older!.path },
    );
    return image;
  } catch (error) {
    options.log.warn(
      "engine.import_failed",
      "Could not import a configuration file of an existing router",
      {
        name,
        path: older!.path,
        error,
      },
    );
    return null;
  }
}

/** Makes a file say the active configuration. True when someone edited it, so that it decides. */
async function settle<C, K extends Name<C>>(
  name: K,
  state: {
    readonly found: Found<C[K]>;
    readonly stored: Image<C[K]>;
    readonly known: ReadonlySet<string | undefined>;
    readonly ours: () => readonly Image<C[K]>[];
  },
  options: StartOptions<C>,
): Promise<boolean> {
  const { found, stored } = state;
  const digest = imageDigest(stored);
  if (found.kind === "read") {
    if (found.digest === digest) return false;
    if (!state.known.has(found.digest)) return true;
  } else if (found.kind === "broken") {
    // Nobody wrote what a power cut left of a file of ours: there is nothing to keep or to report.
    const isOurs = await options.files.isTorn(name, state.ours());
    if (!isOurs) await reject(name, found.reason, options);
  } else if (found.kind === "missing") {
    const fallback = { value: options.files.document(name).fallback, rejected: [] };
    if (digest === imageDigest(fallback)) return false;
  }
  await restore(name, stored, options);
  return false;
}
