import { LineWriter, readLines } from "../lists/line_reader.ts";
import { removeAll } from "../lists/list_disk.ts";
import type { ListFiles } from "../lists/list_files.ts";
import { hashSuffixes, SUFFIX_WORDS } from "./name_hash.ts";
import { markOf, TableBuilder, type TableImage } from "./name_table.ts";
import { LONGEST_NAME } from "../../codec/constants.ts";
import { writeWire } from "../names.ts";
import { parseLine } from "../lists/parse_list.ts";
import { writeTable } from "./table_file.ts";

/** Names of all lists together; beyond them memory would run out before the machine does. */
export const MOST_NAMES = 8_000_000;

/** A list as it goes into the table. */
export interface BuildSource {
  readonly uri: string;
  /** A file that is yet to be read as a list; null: the names that were read before. */
  readonly fresh: string | null;
}

/** What came of one list. */
export interface BuiltList {
  readonly uri: string;
  readonly names: number;
  readonly exceptions: number;
  readonly skipped: number;
  /** Why its new content is not taken; the names from before stand. "" when all went well. */
  readonly error: string;
}

/** What came of a build. */
export interface Built {
  readonly image: TableImage;
  readonly lists: readonly BuiltList[];
}

/**
 * Makes the table of these lists and writes it, so that the next start needs nothing else. New content
 * without a single name is refused, and what was there before stands.
 */
export async function buildTable(
  files: ListFiles,
  sources: readonly BuildSource[],
  key: readonly [number, number],
): Promise<Built> {
  const builder = new TableBuilder(key);
  const lists: BuiltList[] = [];
  for (const [number, source] of sources.entries()) {
    lists.push(await addList({ files, builder, source, number }));
  }
  const image = builder.finish(sources.map(({ uri }) => uri));
  await writeTable(files.table, image);
  return { image, lists };
}

interface Adding {
  readonly files: ListFiles;
  readonly builder: TableBuilder;
  readonly source: BuildSource;
  readonly number: number;
}

async function addList(adding: Adding): Promise<BuiltList> {
  const { source: { uri, fresh }, files } = adding;
  if (fresh !== null) {
    const read = await readList(fresh, files.names(uri));
    if (read.error !== "") return { ...await addNames(adding), error: read.error };
    return { ...await addNames(adding), skipped: read.skipped };
  }
  return await addNames(adding);
}

/**
 * Reads a list of any form and writes its names; nothing is replaced unless it has some. One whose
 * content is gone keeps no other list from the table.
 */
async function readList(
  path: string,
  target: string,
): Promise<{ readonly skipped: number; readonly error: string }> {
  const beside = `${target}.new`;
  let names = 0, skipped = 0;
  try {
    using writer = new LineWriter(beside);
    for await (const lines of readLines(path)) {
      for (const line of lines) {
        const said = parseLine(line);
        skipped += said.skipped;
        for (const name of said.names) {
          writer.add(said.exception ? `@${name}` : name);
          names++;
        }
      }
    }
    writer.sync();
  } catch (error) {
    // What is half written would take room on a disk that may be full.
    await removeAll([beside]);
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { skipped: 0, error: "What it sent is gone, so it must come again" };
  }
  if (names === 0) {
    await Deno.remove(beside);
    return { skipped, error: "It holds no domain names, so it is not taken" };
  }
  await Deno.rename(beside, target);
  return { skipped, error: "" };
}

const hashes = new Uint32Array(SUFFIX_WORDS);
const wire = new Uint8Array(LONGEST_NAME);

/** Puts the names of a list into the table. */
async function addNames({ files, builder, source: { uri }, number }: Adding): Promise<BuiltList> {
  const built = { uri, names: 0, exceptions: 0, skipped: 0, error: "" };
  try {
    for await (const lines of readLines(files.names(uri))) {
      for (const line of lines) {
        if (builder.count >= MOST_NAMES) {
          return { ...built, error: "All lists together hold too many names" };
        }
        const exception = line.startsWith("@");
        if (!addName(builder, exception ? line.slice(1) : line, markOf(number, exception))) {
          continue;
        }
        if (exception) built.exceptions++;
        else built.names++;
      }
    }
  } catch (error) {
    // Nothing was fetched yet.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return built;
}

/** False for a name that the list has already, and for what is none. */
function addName(builder: TableBuilder, name: string, mark: number): boolean {
  if (writeWire(name, wire) === 0) return false;
  const at = 2 * hashSuffixes(builder.key, wire, hashes);
  return builder.add(hashes[at]!, hashes[at + 1]!, mark);
}
