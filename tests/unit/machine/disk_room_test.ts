import assert from "node:assert/strict";
import { DiskRoom } from "../../../system/machine/disk_room.ts";

Deno.test("a disk that fills up is told once, before it is full, and settled when there is room", async () => {
  let free = 500_000_000;
  const told: string[] = [];
  const room = new DiskRoom({
    folder: "/home",
    live: false,
    free: () => Promise.resolve(free),
    failed: (error) => assert.fail(String(error)),
    notices: {
      open: (kind, detail) => Promise.resolve(void told.push(`${kind} ${detail}`)),
      settle: (kind) => Promise.resolve(void told.push(`settled ${kind}`)),
    },
  });
  for (free of [500_000_000, 40_000_000, 30_000_000, 60_000_000, 0, 200_000_000, 300_000_000]) {
    await room.look();
  }
  assert.equal(told.length, 3, told.join("\n"));
  assert.equal(told[0], "settled disk-full", "one that an earlier run left");
  assert.match(told[1]!, /disk-full The disk of \/home is nearly full: 40 MB are left/);
  assert.equal(told[2], "settled disk-full");
});
