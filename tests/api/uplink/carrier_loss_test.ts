import assert from "node:assert/strict";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { until } from "../../kit/process.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import { FILES, LEASE, send, uplink } from "../../kit/lab/two_uplinks.ts";

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

/** Opens a router in which nothing happens by the second. */
async function withoutSeconds(host: MemoryHost): Promise<TestRouter> {
  const { setInterval } = globalThis;
  const never = 2 ** 31 - 1;
  globalThis.setInterval = ((work: () => void) => setInterval(work, never)) as typeof setInterval;
  try {
    return await testRouter({ files: FILES, host, engine: { live: true } });
  } finally {
    globalThis.setInterval = setInterval;
  }
}

Deno.test("new connections leave an uplink without a carrier at once", async () => {
  const { host, plug } = cables();
  await using router = await withoutSeconds(host);
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  const first = () =>
    router.engine.desired.routes.find((one) => one.destination === "default")?.link;
  const events: string[] = [];
  const unsubscribe = router.bus.subscribe(({ topic }) => {
    if (topic.startsWith("wan:")) events.push(topic);
  });
  for (let round = 0; round < 3; round++) {
    events.length = 0;
    plug("wan0", false);
    await until("they leave", () => first() === "lan1");
    await until("it is reported", () => events.includes("wan:failover"));
    plug("wan0", true);
    await until("they are back", () => first() === "wan0");
  }
  assert.equal((await uplink(router, "wan0")).Up, true);
  unsubscribe();
});

Deno.test("a flapping interface is followed at a limited rate", async () => {
  const { host, plug } = cables();
  await using router = await testRouter({ files: FILES, host, engine: { live: true } });
  let reads = 0;
  const facts = host.facts;
  host.facts = () => {
    reads++;
    return facts();
  };
  const began = performance.now();
  for (let turn = 0; performance.now() < began + 1500; turn++) {
    plug("wan0", turn % 2 === 0);
    await new Promise((go) => setTimeout(go, 2));
  }
  plug("wan0", true);
  await until("it is followed", () => router.engine.desired.facts!.uplinks![0]!.running);
  const most = 20 * (performance.now() - began) / 1000;
  assert.ok(reads < most, `the kernel was read ${reads} times, at most ${most} were due`);
});
