import type * as z from "zod";

/** An entry of a file that the API would refuse: kept in the file, not applied, reported. */
export interface RejectedEntry {
  /** Where all of `raw` stands in the file (RFC 6901), since a write puts it back there. */
  readonly pointer: string;
  /** Why it cannot be used; where it is about one field, after the pointer to that. */
  readonly message: string;
  readonly raw: unknown;
}

/** What a lenient reading of a file gives. */
export interface Reading<T> {
  readonly value: T;
  readonly rejected: readonly RejectedEntry[];
}

/** A file of an existing router that holds the decisions of a document of ours, among others. */
export interface OlderFile<T> {
  /** Path beside `configs/` or under it, from there: `base/api.json`, `../state/dns/log_rules.json`. */
  readonly path: string;
  /** True for a file that is no JSON: it is read as text. */
  readonly isText?: boolean;
  /** Reads the parsed file; null where it says nothing. Throws Problem where it cannot be followed. */
  readonly read: (raw: unknown) => Reading<T> | null;
}

/**
 * A file of decisions under `configs/`: one document of the configuration. The engine is the only
 * one that writes it.
 */
export interface Document<T> {
  /** Path under `configs/`, for example `devices/devices.json`. */
  readonly path: string;
  /** Bus topic of its changes. */
  readonly topic: string;
  /** The strict shape of the whole value. */
  readonly schema: z.ZodType<T>;
  /** Used when the file is missing. */
  readonly fallback: T;
  /** Reads a parsed file, rejecting bad entries. Throws Problem when nothing of it can be used. */
  readonly read: (raw: unknown) => Reading<T>;
  /** The same in small steps, for a document that may be large. */
  readonly readSteps?: (raw: unknown) => Generator<void, Reading<T>>;
  /** Where an existing router keeps it: read once, at a first start without a file at `path`. */
  readonly older?: OlderFile<T>;
  /** The JSON that is written. Defaults to the value itself. */
  readonly write?: (value: T) => unknown;
  /**
   * Makes a value whose parts are of different times hold together, as after an undo: what is so
   * today goes before what comes back. Pure; never throws. Defaults to the value itself.
   */
  readonly fit?: (next: T, today: T) => T;
  /** True for a path (segments below the document) whose value must be masked in every answer. */
  readonly secret?: (path: readonly string[]) => boolean;
  /** Name of an array's element, to tell it from its neighbours in a patch; default is its JSON. */
  readonly keyOf?: (element: unknown) => string;
}

/** Reads a parsed file in small steps, as far as its document has any. */
export function* readingSteps<T>(
  document: Pick<Document<T>, "read" | "readSteps">,
  raw: unknown,
): Generator<void, Reading<T>> {
  return document.readSteps === undefined ? document.read(raw) : yield* document.readSteps(raw);
}

/** The documents of a configuration, by the name of their part. */
export type Documents<C> = { readonly [K in keyof C]: Document<C[K]> };
