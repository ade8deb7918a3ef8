import assert from "node:assert/strict";
import { DiskRoom, type DiskSpace } from "../../../system/machine/disk_room.ts";

/** What is reported while a disk goes through these states. */
async function detailsOf(states: readonly DiskSpace[]): Promise<readonly string[]> {
  let now = states[0]!;
  const details: string[] = [];
  const room = new DiskRoom({
    folder: "/home",
    live: false,
    space: () => Promise.resolve(now),
    failed: (error) => assert.fail(String(error)),
    notices: {
      open: (kind, detail) => Promise.resolve(void details.push(`${kind} ${detail}`)),
      settle: (kind) => Promise.resolve(void details.push(`settled ${kind}`)),
    },
  });
  for (now of states) await room.look();
  return details;
}

Deno.test("a disk that fills up is reported before and when it is full, and settled with room", async () => {
  const free = [500, 40, 30, 60, 0.5, 0, 60, 200, 300];
  const lines = await detailsOf(
    free.map((megabytes) => ({ free: megabytes * 1e6, size: 4e9, files: 100_000 })),
  );
  assert.equal(lines.length, 4, lines.join("\n"));
  assert.equal(lines[0], "settled disk-full", "one that an earlier run left");
  assert.match(lines[1]!, /disk-full The disk of \/home is nearly full: 40 MB are left/);
  assert.match(lines[2]!, /is full: changes are refused until there is room.* Delete files there/);
  assert.equal(lines[3], "settled disk-full");
});

Deno.test("a small disk is nearly full at a tenth of it", async () => {
  const free = [20, 4, 8, 14];
  const lines = await detailsOf(
    free.map((megabytes) => ({ free: megabytes * 1e6, size: 64e6, files: 9e3 })),
  );
  assert.deepEqual(lines.map((line) => line.split(" ")[0]), ["settled", "disk-full", "settled"]);
});

Deno.test("a disk that can hold no more files is full, except where files are not counted", async () => {
  const at = (files: number | null) => ({ free: 1e9, size: 4e9, files });
  const lines = await detailsOf([at(20), at(5000), at(null)]);
  assert.match(lines[0]!, /can hold no more files/);
  assert.deepEqual(lines.slice(1), ["settled disk-full"]);
});
