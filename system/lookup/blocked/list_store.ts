import { join } from "node:path";
import { writeDurably } from "../../core/config/files.ts";
import { DataError } from "../tables/data_error.ts";
import { type BlockedList, parseBlockedList } from "./block_list.ts";

/** Largest list. */
const MAX_LIST_BYTES = 32 << 20;

/** Identifier of a list: letters and digits, part of its file's name. */
export const LIST_ID = /^[a-z0-9]{1,16}$/;

/** The last good copy of each list, in files. */
export class BlockedListStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a new copy of a list. Throws {@link DataError} for what is none: the earlier copy stays. */
  async put(id: string, content: ReadableStream<Uint8Array>): Promise<BlockedList> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const part of content) {
      text += decoder.decode(part, { stream: true });
      if (text.length > MAX_LIST_BYTES) throw new DataError("The list is too large");
    }
    const list = parseBlockedList(text + decoder.decode());
    await writeDurably(this.#path(id), JSON.stringify(list), "new");
    return list;
  }

  /** The copies of lists; those without one are left out. */
  async get(ids: readonly string[]): Promise<ReadonlyMap<string, BlockedList>> {
    const found = new Map<string, BlockedList>();
    for (const id of ids) {
      try {
        found.set(id, JSON.parse(await Deno.readTextFile(this.#path(id))));
      } catch {
        // It was not downloaded yet, or a power cut left none.
      }
    }
    return found;
  }

  #path(id: string): string {
    if (!LIST_ID.test(id)) throw new RangeError(`Not the identifier of a list: ${id}`);
    return join(this.#folder, `list-${id}.json`);
  }
}
