import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import type { Document } from "../../../system/core/config/document.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { gunzip, gzip } from "../../../system/backup/gzip.ts";
import { Backups } from "../../../system/backup/store.ts";
import { readTar, writeTar } from "../../../system/backup/tar.ts";
import { inFolder } from "../../kit/process.ts";

const backupsIn = (home: string): Backups<object> =>
  new Backups({
    home,
    version: "1.2.3",
    documents: {},
    config: () => ({}),
    links: () => Promise.resolve([]),
    now: () => 1_800_000_000_000,
  });

const archive = (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  gzip(writeTar([{ path: "configs/a.json", bytes: new TextEncoder().encode(text) }], 0));

Deno.test("concurrently uploaded archives are all stored, each under its own name", () =>
  inFolder(async (home) => {
    const backups = backupsIn(home);
    const texts = ["one", "two", "three", "four"];
    const names = await Promise.all(
      texts.map(async (text) => await backups.add(await archive(text))),
    );
    assert.equal(new Set(names).size, texts.length);
    for (const [at, name] of names.entries()) {
      const [file] = readTar(await gunzip(await backups.read(name)));
      assert.equal(new TextDecoder().decode(file?.bytes), texts[at]);
    }
  }));

Deno.test("the number of backups is limited, however many are created at once", () =>
  inFolder(async (home) => {
    const backups = backupsIn(home);
    const packed = await archive("x");
    const made = await Promise.allSettled(Array.from({ length: 44 }, () => backups.add(packed)));
    const refused = made.filter((one) => one.status === "rejected");
    assert.deepEqual(refused.map(({ reason }) => reason.status), [409, 409, 409, 409]);
    assert.equal((await backups.list()).length, 40);
  }));

Deno.test("a backup contains the active configuration, not its files", () =>
  inFolder(async (home) => {
    interface Two {
      readonly ahead: { readonly n: number };
      readonly same: { readonly n: number };
      readonly broken: { readonly n: number };
      readonly unwritten: { readonly n: number };
    }
    const documentAt = (path: string): Document<{ readonly n: number }> => ({
      path,
      topic: path,
      schema: z.object({ n: z.int() }),
      fallback: { n: 0 },
      read: (raw) => ({ value: z.object({ n: z.int() }).parse(raw), rejected: [] }),
    });
    const texts = { ahead: '{"n": 1}', same: '{ "n": 2, "aside": "x" }', broken: '{"n": 3' };
    await Deno.mkdir(join(home, "configs"));
    for (const [name, text] of Object.entries(texts)) {
      await Deno.writeTextFile(join(home, "configs", `${name}.json`), text);
    }
    const backups = new Backups<Two>({
      home,
      version: "1.2.3",
      documents: {
        ahead: documentAt("ahead.json"),
        same: documentAt("same.json"),
        broken: documentAt("broken.json"),
        unwritten: documentAt("unwritten.json"),
      },
      config: () => ({ ahead: { n: 9 }, same: { n: 2 }, broken: { n: 3 }, unwritten: { n: 4 } }),
      links: () => Promise.resolve([]),
      now: () => 1_800_000_000_000,
    });
    const files = new Map(
      (await backups.open(await backups.create()))
        .map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]),
    );
    assert.deepEqual(JSON.parse(files.get("configs/ahead.json")!), { n: 9 });
    assert.equal(files.get("configs/same.json"), texts.same);
    assert.deepEqual(JSON.parse(files.get("configs/broken.json")!), { n: 3 });
    assert.deepEqual(JSON.parse(files.get("configs/unwritten.json")!), { n: 4 });
  }));

Deno.test("a backup that could not be restored is refused, naming the file", async () => {
  const huge = 17 * 1024 * 1024;
  const cases: Readonly<Record<string, string>> = {
    "-rf": "x",
    "a\\b": "x",
    [`${"n".repeat(120)}/${"m".repeat(120)}`]: "x",
    "large.json": "x".repeat(huge),
    "a/b/c/d/e/f/g/h/deep.json": "x",
    "noise.bin": "",
  };
  for (const [name, text] of Object.entries(cases)) {
    await inFolder(async (home) => {
      const backups = backupsIn(home);
      const path = join(home, "configs/base", name);
      await Deno.mkdir(dirname(path), { recursive: true });
      if (text !== "") await Deno.writeTextFile(path, text);
      else {
        // Nothing makes it smaller, so that the archive is larger than may arrive.
        using file = await Deno.open(path, { create: true, write: true });
        for (let part = 0; part < 9 * 16; part++) {
          await file.write(crypto.getRandomValues(new Uint8Array(65_536)));
        }
      }
      await assert.rejects(backups.create(), (error: unknown) => {
        assert.ok(error instanceof Problem, String(error));
        assert.equal(error.status, 409, error.message);
        const part = JSON.stringify(basename(name).slice(0, 4)).slice(1, -1);
        if (text !== "") assert.ok(error.message.includes(part), error.message);
        assert.ok(!error.message.includes(home), error.message);
        return true;
      });
      assert.deepEqual(await backups.list(), []);
    });
  }
});
