import type { CompiledFilter } from "../verdict/compiled_filter.ts";
import { readLines } from "../lists/line_reader.ts";
import { type ListFiles, readName } from "../lists/list_files.ts";
import { hashSuffixes, SUFFIX_WORDS } from "./name_hash.ts";
import { MAX_NAME_BYTES } from "../../codec/constants.ts";
import { writeWireName } from "../names.ts";

/** Names processed before other work gets its turn, so that queries are answered meanwhile. */
const CHUNK_SIZE = 512;

/**
 * The blocked domains of all active lists, once each and without final dot, in batches. They are read
 * from disk, since memory only has their hashes. A domain in several lists belongs to the first.
 */
export async function* blockedDomains(
  compiled: CompiledFilter,
  files: ListFiles,
): AsyncGenerator<readonly string[]> {
  const hashes = new Uint32Array(SUFFIX_WORDS);
  const wire = new Uint8Array(MAX_NAME_BYTES);
  const { table, lists, sets } = compiled;
  for (const [index, list] of lists.entries()) {
    if (list === null) continue;
    try {
      for await (const lines of readLines(files.names(list.URI))) {
        for (let from = 0; from < lines.length; from += CHUNK_SIZE) {
          yield lines.slice(from, from + CHUNK_SIZE).flatMap((line) => {
            const { name, exception } = readName(line);
            if (exception || writeWireName(name, wire) === 0) return [];
            const at = 2 * hashSuffixes(table.image.key, wire, hashes);
            const { blocks } = sets[table.find(hashes[at]!, hashes[at + 1]!)]!;
            return blocks[0] === index ? [name] : [];
          });
          await nextTurn();
        }
      }
    } catch (error) {
      // The list was deleted meanwhile.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
