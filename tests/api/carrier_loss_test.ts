import assert from "node:assert/strict";
import { memoryHost } from "../../system/host/memory.ts";
import { testRouter } from "../kit/router.ts";
import { FILES, LEASE, tell, uplink } from "../kit/two_uplinks.ts";

/** A kernel whose cables are pulled and plugged in by the test. */
function cables() {
  const host = memoryHost();
  const pulled = new Set<string>();
  const facts = host.facts.bind(host);
  host.facts = async () => {
    const all = await facts();
    const links = all.links.map((one) => pulled.has(one.name) ? { ...one, running: false } : one);
    return { ...all, links };
  };
  const plug = (name: string, on: boolean): void => {
    if (on) pulled.delete(name);
    else pulled.add(name);
    host.emit({ kind: "link", name });
  };
  return { host, plug };
}

async function within(milliseconds: number, isSo: () => boolean): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (!isSo() && performance.now() < until) await new Promise((go) => setTimeout(go, 5));
  return isSo();
}

Deno.test("new connections leave a pulled uplink well before the next second", async () => {
  const { host, plug } = cables();
  await using router = await testRouter({ files: FILES, host, engine: { live: true } });
  await tell(router, "/lease", { name: "lan1", lease: LEASE });
  const first = () =>
    router.engine.desired.routes.find((one) => one.destination === "default")?.link;
  const events: string[] = [];
  const unsubscribe = router.bus.subscribe(({ topic }) => {
    if (topic.startsWith("wan:")) events.push(topic);
  });
  let prompt = 0;
  const rounds = 6;
  for (let round = 0; round < rounds; round++) {
    // At another moment of the second in each round.
    await new Promise((go) => setTimeout(go, 170));
    events.length = 0;
    plug("wan0", false);
    if (await within(350, () => first() === "lan1")) prompt++;
    assert.ok(await within(5000, () => first() === "lan1"));
    assert.ok(await within(5000, () => events.includes("wan:failover")));
    plug("wan0", true);
    assert.ok(await within(5000, () => first() === "wan0"));
  }
  // One may be late on a machine that does something else.
  assert.ok(prompt >= rounds - 1, `${prompt} of ${rounds} in time`);
  assert.equal((await uplink(router, "wan0")).Up, true);
  unsubscribe();
});

Deno.test("a link that flaps without end is followed, but not at every turn", async () => {
  const { host, plug } = cables();
  await using router = await testRouter({ files: FILES, host, engine: { live: true } });
  let reads = 0;
  const facts = host.facts;
  host.facts = () => {
    reads++;
    return facts();
  };
  const until = performance.now() + 1500;
  for (let turn = 0; performance.now() < until; turn++) {
    plug("wan0", turn % 2 === 0);
    await new Promise((go) => setTimeout(go, 2));
  }
  plug("wan0", true);
  assert.ok(await within(5000, () => router.engine.desired.seen!.uplinks![0]!.running));
  assert.ok(reads < 30, `the kernel was read ${reads} times`);
});
