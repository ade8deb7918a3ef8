import type { CompiledBlock } from "../verdict/compile.ts";
import { readLines } from "../lists/line_reader.ts";
import type { ListFiles } from "../lists/list_files.ts";
import { hashSuffixes, SUFFIX_WORDS } from "./name_hash.ts";
import { LONGEST_NAME } from "../../codec/constants.ts";
import { writeWire } from "../names.ts";

/** Names that are looked at before others have their turn: questions are answered meanwhile. */
const AT_ONCE = 512;

/**
 * The names of all lists that are in force, once each and without final dot, some hundreds at a time.
 * They are read from disk: memory holds their hashes alone. A name in several lists is told with the
 * first that has it.
 */
export async function* dumpNames(
  compiled: CompiledBlock,
  files: ListFiles,
): AsyncGenerator<readonly string[]> {
  const hashes = new Uint32Array(SUFFIX_WORDS);
  const wire = new Uint8Array(LONGEST_NAME);
  const { table, lists, sets } = compiled;
  for (const [place, list] of lists.entries()) {
    if (list === null) continue;
    try {
      for await (const lines of readLines(files.names(list.URI))) {
        for (let from = 0; from < lines.length; from += AT_ONCE) {
          yield lines.slice(from, from + AT_ONCE).filter((line) => {
            if (line.startsWith("@") || writeWire(line, wire) === 0) return false;
            const at = 2 * hashSuffixes(table.image.key, wire, hashes);
            return sets[table.find(hashes[at]!, hashes[at + 1]!)]!.blocks[0] === place;
          });
          await nextTurn();
        }
      }
    } catch (error) {
      // Its files went with it meanwhile.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
