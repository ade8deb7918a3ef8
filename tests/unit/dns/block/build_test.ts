import assert from "node:assert/strict";
import fc from "fast-check";
import { buildTable } from "../../../../system/dns/block/table/build_table.ts";
import { LineWriter, readLines } from "../../../../system/dns/block/lists/line_reader.ts";
import { ListFiles } from "../../../../system/dns/block/lists/list_files.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../../../../system/dns/block/table/name_hash.ts";
import {
  MARK,
  type MarkKind,
  markOf,
  NameTable,
  readMark,
} from "../../../../system/dns/block/table/name_table.ts";
import { parseLine } from "../../../../system/dns/block/lists/parse_list.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function linesOf(path: string): Promise<string[]> {
  const all: string[] = [];
  for await (const some of readLines(path)) all.push(...some);
  return all;
}

Deno.test("lines are read whole across every border, with or without an end", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lines`;
    // More than one read, and letters of two bytes that lie on the border of some.
    const lines = Array.from({ length: 40_000 }, (_, i) => `${"ü".repeat(i % 13)}line ${i}`);
    await Deno.writeTextFile(path, lines.join("\n"));
    assert.deepEqual(await linesOf(path), lines);
    await Deno.writeTextFile(path, `\ufeffone\r\n\r\ntwo\n`);
    assert.deepEqual(await linesOf(path), ["one\r", "\r", "two"]);
    await Deno.writeTextFile(path, "");
    assert.deepEqual(await linesOf(path), []);
  });
});

Deno.test("an endless line takes no memory, and the lines after it are read", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lines`;
    await Deno.writeTextFile(path, `first\n${"x".repeat(3_000_000)}\nlast\n`);
    const lines = await linesOf(path);
    assert.equal(lines[0], "first");
    assert.equal(lines.at(-1), "last");
    assert.ok(lines[1]!.length < 600_000);
  });
});

Deno.test("no part of a line that is too long counts as a name", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lines`;
    const border = 1 << 18;
    for (const length of [4000, 9000, border - 20, border - 8, border, border + 8200, 2 * border]) {
      const text = `0.0.0.0 ${"a".repeat(length)}\thidden.example ads.example\nlast.example\n`;
      await Deno.writeTextFile(path, text);
      const names = (await linesOf(path)).flatMap((line) => parseLine(line).domains);
      const expected = length === 4000 ? ["hidden.example", "ads.example"] : [];
      assert.deepEqual(names, [...expected, "last.example"], `${length}`);
    }
  });
});

Deno.test("written lines are read back", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lines`;
    const lines = Array.from({ length: 20_000 }, (_, i) => `n${i}.example`);
    {
      using writer = await LineWriter.open(path);
      for (const line of lines) writer.add(line);
      writer.sync();
    }
    assert.deepEqual(await linesOf(path), lines);
  });
});

const label = fc.constantFrom("a", "b", "c", "d", "e");
const entry = fc.record({
  name: fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join(".")),
  form: fc.constantFrom("hosts", "domain", "rule", "important", "exception", "importantException"),
});
const list = fc.array(entry, { maxLength: 30 });

const KINDS: Readonly<Record<string, MarkKind>> = {
  hosts: MARK.block,
  domain: MARK.block,
  rule: MARK.block,
  important: MARK.importantBlock,
  exception: MARK.exception,
  importantException: MARK.importantException,
};

function isException(form: string): boolean {
  return form === "exception" || form === "importantException";
}

function lineOf({ name, form }: { readonly name: string; readonly form: string }): string {
  if (form === "hosts") return `0.0.0.0 ${name}`;
  if (form === "rule") return `||${name}^`;
  if (form === "important") return `||${name}^$important`;
  if (form === "importantException") return `@@||${name}^$important`;
  return form === "exception" ? `@@||${name}^` : name;
}

Deno.test("a table of any lists holds the domains of each, once, and counts them", async () => {
  await inFolder(async (folder) => {
    const files = new ListFiles(folder);
    await fc.assert(
      fc.asyncProperty(fc.array(list, { maxLength: 4 }), async (lists) => {
        const sources = lists.map((_, i) => ({ uri: `${i}`, newContent: `${folder}/${i}` }));
        for (const [i, entries] of lists.entries()) {
          await Deno.writeTextFile(`${folder}/${i}`, entries.map(lineOf).join("\n"));
          await Deno.remove(files.names(`${i}`)).catch(() => {});
        }
        const { image, lists: built } = await buildTable(files, sources, [5, 6]);
        const naive = new Map<string, Set<number>>();
        for (const [i, entries] of lists.entries()) {
          const count = (exception: boolean) =>
            new Set(
              entries.filter(({ form }) => isException(form) === exception)
                .map(({ name }) => name),
            ).size;
          assert.equal(built[i]!.domains, count(false));
          assert.equal(built[i]!.exceptions, count(true));
          assert.equal(built[i]!.error === "", entries.length > 0);
          const mark = (name: string, kind: MarkKind): void => {
            naive.set(name, (naive.get(name) ?? new Set()).add(markOf(i, kind)));
          };
          for (const { name, form } of entries) mark(name, KINDS[form]!);
          const above = (name: string): readonly string[] =>
            name.split(".").map((_, at, labels) => labels.slice(at).join(".")).slice(1);
          const blocks = (name: string): boolean =>
            entries.some((one) => one.name === name && !isException(one.form));
          for (const { name, form } of entries) {
            if (!isException(form)) continue;
            for (const parent of above(name)) {
              if ([parent, ...above(parent)].some(blocks)) mark(parent, MARK.below);
            }
          }
        }
        assert.equal(image.count, naive.size);
        const blocked = [...naive.values()].filter((marks) =>
          [...marks].some((one) =>
            [MARK.block, MARK.importantBlock].some((kind) => kind === readMark(one).kind)
          )
        );
        assert.equal(image.blocked, blocked.length);
        const table = new NameTable(image);
        const out = new Uint32Array(SUFFIX_WORDS);
        for (const [name, marks] of naive) {
          const at = 2 * hashSuffixes(image.key, nameBytes(name)!, out);
          const found = image.sets[table.find(out[at]!, out[at + 1]!)];
          assert.deepEqual(found, [...marks].sort((x, y) => x - y));
        }
      }),
      { numRuns: 40 },
    );
  });
});
