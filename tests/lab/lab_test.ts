import assert from "node:assert/strict";
import { buildLab, INTERNET, type Lab } from "../kit/lab/lab.ts";
import { command, must } from "../kit/lab/command.ts";

async function inLab(work: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = await buildLab({ clients: 2, name: "kit", addresses: true });
  try {
    await work(lab);
  } finally {
    await lab.close();
  }
}

async function spaces(prefix: string): Promise<readonly string[]> {
  const list = await must("ip", ["netns", "list"]);
  return list.split("\n").map((line) => line.split(" ")[0] ?? "")
    .filter((name) => name.startsWith(prefix));
}

Deno.test("clients of the lab reach each other and the Internet", () =>
  inLab(async (lab) => {
    assert.equal(await lab.ping("a", INTERNET), true);
    assert.equal(await lab.ping("a", "192.168.2.10"), true);
    assert.equal(await lab.ping("a", "192.168.2.99"), false);
    assert.equal(await lab.get("b", `http://${INTERNET}/`), "internet 192.168.2.10\n");
    assert.equal(await lab.dns("a", INTERNET), INTERNET);
    assert.equal(await lab.dns("a", INTERNET, { transport: "tcp" }), INTERNET);
    assert.equal(await lab.dns("a", "192.168.2.99", { seconds: 0.7 }), null);
    assert.equal(await lab.tcp("a", INTERNET, 80), "open");
    assert.equal(await lab.tcp("a", INTERNET, 81), "refused");
    assert.equal(await lab.tcp("a", "192.168.2.99", 80), "timeout");
  }));

Deno.test("a held connection reports when it broke", () =>
  inLab(async (lab) => {
    const held = await lab.hold("a", INTERNET);
    assert.equal(held.alive, true);
    await must("ip", ["-n", lab.space("router"), "link", "set", "cl-a", "down"]);
    assert.equal(await held.broke, "stalled");
    assert.equal(held.alive, false);
    await held.close();
    await assert.rejects(lab.hold("a", INTERNET, 81), /could not hold/);
  }));

Deno.test("a closed lab leaves nothing behind, whatever was running in it", async () => {
  const lab = await buildLab({ clients: 1, name: "kit" });
  const stubborn = lab.spawn("a", "socat", ["-u", "TCP-LISTEN:9,fork", "STDOUT"]);
  assert.equal((await spaces(`${lab.name}-`)).length, 3);
  await lab.close();
  assert.equal(stubborn.ended, true);
  assert.deepEqual(await spaces(`${lab.name}-`), []);
});

Deno.test("leftovers of a dead run are removed, those of a running one are not", async () => {
  const dead = new Deno.Command("true").spawn();
  await dead.status;
  const other = new Deno.Command("sleep", { args: ["600"] }).spawn();
  const gone = `kit-${dead.pid}x1-router`;
  // A process of an earlier day that had our number.
  const before = `kit-${Deno.pid}x999-router`;
  const living = `kit-${other.pid}x1-router`;
  for (const space of [gone, before, living]) await must("ip", ["netns", "add", space]);
  try {
    const own = await buildLab({ clients: 1, name: "kit" });
    await (await buildLab({ clients: 1, name: "kit" })).close();
    assert.equal((await spaces(`${own.name}-`)).length, 3, "our other one is nobody's to sweep");
    await own.close();
    assert.deepEqual([...await spaces(gone), ...await spaces(before)], []);
    assert.deepEqual(await spaces(living), [living]);
  } finally {
    for (const space of [gone, before, living]) await command("ip", ["netns", "delete", space]);
    other.kill();
    await other.status;
  }
});
