import assert from "node:assert/strict";
import { join } from "node:path";
import type { BlockedRanges } from "../../../system/core/kernel/blocked_ranges.ts";
import { BlockedTable } from "../../../system/host/kernel/blocked.ts";
import { eventually } from "../../kit/eventually.ts";
import { inFolder } from "../../kit/process.ts";

const RANGES: BlockedRanges = {
  sources: [{ type: "country", key: "de" }],
  groups: [{
    ...{ family: 4, length: 24 },
    ...{ addresses: Uint32Array.of(0xc0000200), owners: Uint16Array.of(0) },
  }],
};

function table(bootFile: string, lines: string[]): BlockedTable {
  return new BlockedTable({
    nft: { outline: () => Promise.resolve("") },
    transact: () => Promise.resolve(),
    bootFile,
    eachFlow: () => Promise.resolve(),
    flows: () => Promise.resolve([]),
    ipv6Flows: () => Promise.resolve([]),
    flush: () => Promise.resolve(),
    log: (line) => void lines.push(line),
    retryDelayMs: 1,
  });
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("blocked ranges that could not be written for the next boot are written once that works", () =>
  inFolder(async (home) => {
    const folder = join(home, "net"), path = join(folder, "blocked.nft");
    const lines: string[] = [];
    await Deno.writeTextFile(folder, "a file in the place of the folder");
    const blocked = table(join(folder, "boot.nft"), lines);
    await blocked.replace(RANGES);
    await eventually("it was tried again", () => assert.equal(lines.length, 1));
    assert.match(lines[0]!, /could not be written, and will be/);
    await Deno.remove(folder);
    await Deno.mkdir(folder, { recursive: true });
    await eventually("it is written", async () => assert.ok(await isThere(path)));
    assert.match(await Deno.readTextFile(path), /type filter hook output/);
    assert.equal(lines.length, 1, "each reason is logged once");
    await blocked.close();
  }));

Deno.test("what is freed before a failed write was repeated is not written any more", () =>
  inFolder(async (home) => {
    const folder = join(home, "net"), path = join(folder, "blocked.nft");
    await Deno.writeTextFile(folder, "a file in the place of the folder");
    const blocked = table(join(folder, "boot.nft"), []);
    await blocked.replace(RANGES);
    await blocked.replace(null);
    await Deno.remove(folder);
    await Deno.mkdir(folder, { recursive: true });
    await blocked.close();
    assert.equal(await isThere(path), false);
  }));
