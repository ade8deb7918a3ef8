import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { dhcpRouter, SMALL } from "../../kit/dhcp/dhcp_router.ts";

Deno.test("invented MAC addresses fill no pool: the rest is reserved for approved devices", async () => {
  const { router, ask, join, clock, devices } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string; data: unknown }[] }>("GET", "/notices")).items
      .filter(({ kind }) => kind === "unknown-devices-limited");
  let n = 1;
  const fill = async (until: number): Promise<void> => {
    while (n <= until) await join(n++);
  };
  await fill(32);
  assert.deepEqual(await notices(), []);
  const late = await ask("discover", 99);
  assert.equal(late.status, 409);
  assert.match(late.json.detail, /^Unknown devices get no address on lan0 for now: 32 new/);
  assert.equal((await ask("request", 99, { wanted: "192.168.2.130" })).status, 409);
  const [notice] = await notices();
  assert.deepEqual(notice!.data, { subject: "lan0", limit: "rate", mac: mac(99) });
  assert.equal((await devices())[mac(99)], undefined);
  // Another interface has a limit of its own; on the first one it is lifted after an hour.
  await join(100, { link: "lan1" });
  clock.now += 3600_000;
  n++;
  await fill(48);
  assert.deepEqual(await notices(), []);
  const last = await ask("discover", 99);
  assert.equal(last.status, 409);
  assert.match(
    last.json.detail,
    /the remaining addresses of 192\.168\.2\.0\/24 are reserved for approved devices/,
  );
  // Known devices are served: one that has a lease, and one that was added.
  await join(5);
  await router.json("PUT", `/device?identity=${mac(99)}`, { body: { MAC: mac(99) } });
  await join(99);
  // Decisions about some of them make place for others.
  for (const known of [7, 8, 9, 10]) {
    await router.json("PUT", `/device?identity=${mac(known)}`, { body: { Policies: ["wan"] } });
  }
  await join(101);
});

Deno.test("an interface at its hourly limit admits more by one change, which can be previewed and reverted", async () => {
  const { router, ask, join, clock } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  for (let n = 1; n <= 32; n++) await join(n);
  assert.equal((await ask("discover", 99)).status, 409);
  const open = (query = "", Minutes?: number) =>
    router.ask("PUT", `/dhcp/admissions${query}`, {
      body: { Interface: "lan0", ...(Minutes === undefined ? {} : { Minutes }) },
    });
  const preview = await (await open("?dryRun=true")).json();
  assert.deepEqual(preview.config.map((entry: { document: string }) => entry.document), [
    "admissions",
  ]);
  assert.equal((await ask("discover", 99)).status, 409, "a preview opens nothing");
  const opened = await open();
  assert.deepEqual(await opened.json(), {
    Open: [{ Interface: "lan0", Until: Math.floor(clock.now / 1000) + 3600 }],
  });
  await join(99);
  const notices = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
  const held = notices.items.filter(({ kind }) => kind !== "new-device");
  assert.deepEqual(held, [], "nobody is held back any more");
  const change = opened.headers.get("change-id");
  assert.equal((await router.ask("PUT", `/changes/${change}/undo`)).status, 200);
  assert.deepEqual(await router.json("GET", "/dhcp/admissions"), { Open: [] });
  assert.equal((await ask("discover", 100)).status, 409);
  await open("", 10);
  await join(100);
  clock.now += 10 * 60_000;
  assert.deepEqual(await router.json("GET", "/dhcp/admissions"), { Open: [] });
  assert.equal((await ask("discover", 101)).status, 409, "ten minutes are over");
  assert.equal((await open("", 0)).status, 200);
});

Deno.test("PUT /dhcp/admissions refuses unknown interfaces and times beyond a day", async () => {
  const { router } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const bad: readonly [unknown, string][] = [
    [{ Interface: "eth7" }, "/Interface"],
    [{ Link: "lan0; reboot" }, "/Interface"],
    [{}, "/Interface"],
    [{ Interface: "lan0", Minutes: 1441 }, "/Minutes"],
    [{ Interface: "lan0", Minutes: -1 }, "/Minutes"],
    [{ Interface: "lan0", Minutes: 1.5 }, "/Minutes"],
  ];
  for (const [body, pointer] of bad) {
    const answer = await router.ask("PUT", "/dhcp/admissions", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual((await answer.json()).errors.map((one: { pointer: string }) => one.pointer), [
      pointer,
    ]);
  }
  assert.deepEqual(await router.json("GET", "/dhcp/admissions"), { Open: [] });
});
