import { LineWriter, readLines } from "../lists/line_reader.ts";
import { removeFiles } from "../lists/list_disk.ts";
import { type ListFiles, nameLine, readName } from "../lists/list_files.ts";
import { ListedNames } from "./listed_names.ts";
import { TableBuilder, type TableImage } from "./name_table.ts";
import { parseLine } from "../lists/parse_list.ts";
import { NOTHING_SKIPPED, type SkippedLines, totalOf } from "../lists/skipped_lines.ts";
import { writeTable } from "./table_file.ts";

/** Maximum number of names in all lists together, which bounds memory. */
const MAX_NAMES = 8_000_000;

/** A list to put into the table. */
export interface ListSource {
  readonly uri: string;
  /** A new file to parse; null for the domains that were parsed before. */
  readonly newContent: string | null;
}

/** Result for one list. */
export interface ListResult {
  readonly uri: string;
  readonly domains: number;
  readonly exceptions: number;
  /** Of its new content; nothing for domains that were parsed before. */
  readonly skipped: SkippedLines;
  /** Why its new content was rejected, so that the previous domains stay; "" for none. */
  readonly error: string;
}

/** Result of a build. */
export interface BuildResult {
  readonly image: TableImage;
  readonly lists: readonly ListResult[];
}

/**
 * Builds the table of these lists and writes it for the next start. New content without any domain is
 * rejected, and the previous domains stay.
 */
export async function buildTable(
  files: ListFiles,
  sources: readonly ListSource[],
  key: readonly [number, number],
): Promise<BuildResult> {
  const builder = new TableBuilder(key);
  const lists: ListResult[] = [];
  const names = new ListedNames(builder);
  for (const [number, source] of sources.entries()) {
    lists.push(await addList({ files, builder, names, source, number }));
  }
  names.markAboveExceptions();
  const image = builder.finish(sources.map(({ uri }) => uri));
  await writeTable(files.table, image);
  return { image, lists };
}

interface ListContext {
  readonly files: ListFiles;
  readonly builder: TableBuilder;
  readonly source: ListSource;
  readonly number: number;
  readonly names: ListedNames;
}

async function addList(context: ListContext): Promise<ListResult> {
  const { source: { uri, newContent }, files } = context;
  if (newContent !== null) {
    const read = await readList(newContent, files.names(uri));
    if (read.error !== "") return { ...await addNames(context), error: read.error };
    return { ...await addNames(context), skipped: read.skipped };
  }
  return await addNames(context);
}

/**
 * Parses a list and writes its domains; nothing is replaced when it has none. A list whose content is
 * missing does not prevent the others from being built.
 */
async function readList(
  path: string,
  target: string,
): Promise<{ readonly skipped: SkippedLines; readonly error: string }> {
  const temporary = `${target}.new`;
  let domains = 0;
  const reasons = { ...NOTHING_SKIPPED.reasons };
  try {
    using writer = await LineWriter.open(temporary);
    for await (const lines of readLines(path)) {
      for (const line of lines) {
        const parsed = parseLine(line);
        if (parsed.reason !== null) reasons[parsed.reason] += parsed.skipped;
        for (const name of parsed.domains) {
          writer.add(nameLine({ ...parsed, name }));
          domains++;
        }
      }
    }
    writer.sync();
  } catch (error) {
    // A partial file would take space on a disk that may be full.
    await removeFiles([temporary]);
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return {
      skipped: NOTHING_SKIPPED,
      error: "The downloaded file is missing and must be fetched again",
    };
  }
  const skipped = { lines: domains + totalOf(reasons), reasons };
  if (domains === 0) {
    await Deno.remove(temporary);
    return { skipped, error: "The list has no domain names, so it was rejected" };
  }
  await Deno.rename(temporary, target);
  return { skipped, error: "" };
}

/** Adds the domains of a list to the table. */
async function addNames(
  { files, builder, names, source: { uri }, number }: ListContext,
): Promise<ListResult> {
  const built = { uri, domains: 0, exceptions: 0, skipped: NOTHING_SKIPPED, error: "" };
  try {
    for await (const lines of readLines(files.names(uri))) {
      for (const line of lines) {
        if (builder.count >= MAX_NAMES) {
          return { ...built, error: `All lists together have more than ${MAX_NAMES} domains` };
        }
        const listed = readName(line);
        if (!names.add(number, listed)) continue;
        if (listed.exception) built.exceptions++;
        else built.domains++;
      }
    }
  } catch (error) {
    // The list was not fetched yet.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return built;
}
