import assert from "node:assert/strict";
import { gunzip, gzip } from "../../system/backup/gzip.ts";
import { Backups } from "../../system/backup/store.ts";
import { readTar, writeTar } from "../../system/backup/tar.ts";
import { inFolder } from "../kit/process.ts";

const archive = (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  gzip(writeTar([{ path: "configs/a.json", bytes: new TextEncoder().encode(text) }], 0));

Deno.test("archives that arrive at the same moment are all kept, each under its own name", () =>
  inFolder(async (home) => {
    const backups = new Backups({
      home,
      version: "1.2.3",
      documents: {},
      config: () => ({}),
      now: () => 1_800_000_000_000,
    });
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

Deno.test("no more backups are kept than may be, however many are made at once", () =>
  inFolder(async (home) => {
    const backups = new Backups({
      home,
      version: "1.2.3",
      documents: {},
      config: () => ({}),
      now: () => 1_800_000_000_000,
    });
    const packed = await archive("x");
    const made = await Promise.allSettled(Array.from({ length: 44 }, () => backups.add(packed)));
    const refused = made.filter((one) => one.status === "rejected");
    assert.deepEqual(refused.map(({ reason }) => reason.status), [409, 409, 409, 409]);
    assert.equal((await backups.list()).length, 40);
  }));
