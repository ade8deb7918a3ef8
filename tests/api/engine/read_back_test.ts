import assert from "node:assert/strict";
import { ToyHome } from "../../kit/fakes/toy_engine.ts";

/** Opens an engine whose reads of the kernel take as long as a test says, on a boot clock of whole seconds. */
async function openBed(home: ToyHome, began: number) {
  const bed = { time: began, reads: 0, takes: 0 };
  const facts = home.host.facts.bind(home.host);
  home.host.facts = () => {
    bed.reads++;
    bed.time += bed.takes;
    return facts();
  };
  const engine = await home.open({
    bootClock: () => Math.floor(bed.time),
    steady: () => bed.time,
  });
  /** How often the tick at this time reads the kernel. */
  const readsAt = async (time: number): Promise<number> => {
    bed.time = time;
    const before = bed.reads;
    await engine.tick();
    return bed.reads - before;
  };
  /** A device is seen on another link, which moves its fixed neighbour. */
  const move = (link: string) =>
    engine.observe(() => ({ devices: { a: { firstSeen: 1, lastSeen: 1, link, online: true } } }));
  return { bed, engine, readsAt, move };
}

Deno.test("a short read that a second passes in does not keep the next one waiting", async () => {
  await using home = await ToyHome.make();
  const { bed, readsAt, move } = await openBed(home, 1000.9);
  bed.takes = 0.05;
  assert.equal(await readsAt(1000.98), 1, "what was loaded");
  await move("lan0");
  assert.equal(await readsAt(1001.98), 1, "what our plan moved");
  home.host.emit({ kind: "link", name: "lan0" });
  assert.equal(await readsAt(1002.98), 1, "what the kernel reported");
});

Deno.test("a slow read keeps what our plans moved waiting, and what the kernel reports for 2 s", async () => {
  await using home = await ToyHome.make();
  const { bed, readsAt, move } = await openBed(home, 1000);
  bed.takes = 0.5;
  assert.equal(await readsAt(1001), 1, "what was loaded");
  bed.takes = 0;
  await move("lan0");
  assert.equal(await readsAt(1002), 0);
  assert.equal(
    await readsAt(1009),
    0,
    "nineteen times as long as it took, less the time of a tick",
  );
  assert.equal(await readsAt(1010), 1);
  bed.takes = 0.5;
  await move("lan1");
  assert.equal(await readsAt(1011), 1);
  bed.takes = 0;
  await move("lan0");
  home.host.emit({ kind: "link", name: "lan0" });
  assert.equal(await readsAt(1012), 0);
  assert.equal(await readsAt(1013), 1, "another program may have been at it");
});

Deno.test("a read that failed after a long time is tried again as soon as its pause is over", async () => {
  await using home = await ToyHome.make();
  const { bed, engine, readsAt } = await openBed(home, 1000);
  bed.takes = 10;
  home.host.failFacts = true;
  assert.equal(await readsAt(1001), 1);
  bed.takes = 0;
  home.host.failFacts = false;
  assert.equal(engine.network.state, "applied");
  assert.equal(await readsAt(1012), 0);
  assert.equal(await readsAt(1013), 1);
});
