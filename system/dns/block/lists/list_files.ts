import { createHash } from "node:crypto";
import { join } from "node:path";

/** A safe file name for any list URI. */
function listId(uri: string): string {
  return createHash("sha256").update(uri).digest("hex").slice(0, 32);
}

/** Paths of the files of block lists. */
export class ListFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The fetched file. */
  raw(uri: string): string {
    return join(this.folder, `${listId(uri)}.raw`);
  }

  /** The domains of a list, one a line: exceptions begin with `@`, then important ones with `!`. */
  names(uri: string): string {
    return join(this.folder, `${listId(uri)}.names`);
  }

  /** The uploaded file, written by the API. */
  upload(uri: string): string {
    return join(this.folder, `${listId(uri)}.upload`);
  }

  /** A new file for a list that is only tried; a crash leaves it to the clean-up of `.part` files. */
  trial(): string {
    return join(this.folder, `${crypto.randomUUID()}.trial.part`);
  }

  /** All files of a list. */
  all(uri: string): readonly string[] {
    return [this.raw(uri), this.names(uri), this.upload(uri)];
  }

  get table(): string {
    return join(this.folder, "table");
  }

  get status(): string {
    return join(this.folder, "lists.json");
  }
}

/** A name of a list. */
export interface ListedName {
  readonly name: string;
  readonly exception: boolean;
  readonly important: boolean;
}

/** The line of a name in {@link ListFiles.names}. */
export function nameLine({ name, exception, important }: ListedName): string {
  return `${exception ? "@" : ""}${important ? "!" : ""}${name}`;
}

/** Reads what {@link nameLine} wrote. */
export function readName(line: string): ListedName {
  const exception = line.startsWith("@");
  const important = line.startsWith("!", exception ? 1 : 0);
  return { name: line.slice((exception ? 1 : 0) + (important ? 1 : 0)), exception, important };
}
