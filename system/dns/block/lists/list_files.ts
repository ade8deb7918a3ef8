import { createHash } from "node:crypto";
import { join } from "node:path";

/** A name for a list's files that no address can lead elsewhere. */
export function listId(uri: string): string {
  return createHash("sha256").update(uri).digest("hex").slice(0, 32);
}

/** Where everything of block lists lies, below the resolver's folder. */
export class ListFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** What was fetched, as it came. */
  raw(uri: string): string {
    return join(this.folder, `${listId(uri)}.raw`);
  }

  /** The names of a list, one a line; exceptions begin with `@`. */
  names(uri: string): string {
    return join(this.folder, `${listId(uri)}.names`);
  }

  /** What was uploaded; written by the api. */
  upload(uri: string): string {
    return join(this.folder, `${listId(uri)}.upload`);
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
