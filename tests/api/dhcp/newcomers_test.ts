import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { dhcpRouter, SMALL } from "../../kit/dhcp/dhcp_router.ts";

Deno.test("made-up cards fill no network: what is left is kept for devices that are known", async () => {
  const { router, ask, join, clock, devices } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string; data: unknown }[] }>("GET", "/notices")).items
      .filter(({ kind }) => kind === "unknown-devices-held-back");
  let card = 1;
  const fill = async (until: number): Promise<void> => {
    while (card <= until) await join(card++);
  };
  await fill(32);
  assert.deepEqual(await notices(), []);
  const late = await ask("discover", 99);
  assert.equal(late.status, 409);
  assert.match(late.json.detail, /^Unknown devices get no address on lan0 for a while: 32 came/);
  assert.equal((await ask("request", 99, { wanted: "192.168.2.130" })).status, 409);
  const [notice] = await notices();
  assert.deepEqual(notice!.data, { subject: "lan0", by: "hour", card: mac(99) });
  assert.equal((await devices())[mac(99)], undefined);
  // Another link has a count of its own; on the first one it goes on after an hour.
  await join(100, { link: "lan1" });
  clock.now += 3600_000;
  card++;
  await fill(48);
  assert.deepEqual(await notices(), []);
  const last = await ask("discover", 99);
  assert.equal(last.status, 409);
  assert.match(
    last.json.detail,
    /the rest of 192\.168\.2\.0\/24 is kept for devices that you know/,
  );
  // Whoever is known is served: by what it has, and by having been added.
  await join(5);
  await router.json("PUT", `/device?identity=${mac(99)}`, { body: { MAC: mac(99) } });
  await join(99);
  // Decisions about some of them make place for others.
  for (const known of [7, 8, 9, 10]) {
    await router.json("PUT", `/device?identity=${mac(known)}`, { body: { Policies: ["wan"] } });
  }
  await join(101);
});

Deno.test("a link that is full for the hour is opened by one decision, which can be previewed and undone", async () => {
  const { router, ask, join, clock } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  for (let card = 1; card <= 32; card++) await join(card);
  assert.equal((await ask("discover", 99)).status, 409);
  const open = (query = "", Minutes?: number) =>
    router.ask("PUT", `/dhcp/newcomers${query}`, {
      body: { Link: "lan0", ...(Minutes === undefined ? {} : { Minutes }) },
    });
  const preview = await (await open("?dryRun=true")).json();
  assert.deepEqual(preview.config.map((entry: { document: string }) => entry.document), [
    "newcomers",
  ]);
  assert.equal((await ask("discover", 99)).status, 409, "a preview opens nothing");
  const opened = await open();
  assert.deepEqual(await opened.json(), {
    Open: [{ Link: "lan0", Until: Math.floor(clock.now / 1000) + 3600 }],
  });
  await join(99);
  const notices = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
  assert.deepEqual(notices.items, [], "nobody is held back any more");
  const change = opened.headers.get("change-id");
  assert.equal((await router.ask("PUT", `/changes/${change}/undo`)).status, 200);
  assert.deepEqual(await router.json("GET", "/dhcp/newcomers"), { Open: [] });
  assert.equal((await ask("discover", 100)).status, 409);
  await open("", 10);
  await join(100);
  clock.now += 10 * 60_000;
  assert.deepEqual(await router.json("GET", "/dhcp/newcomers"), { Open: [] });
  assert.equal((await ask("discover", 101)).status, 409, "ten minutes are over");
  assert.equal((await open("", 0)).status, 200);
});

Deno.test("PUT /dhcp/newcomers refuses links that are none and times beyond a day", async () => {
  const { router } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const bad: readonly [unknown, string][] = [
    [{ Link: "eth7" }, "/Link"],
    [{ Link: "lan0; reboot" }, "/Link"],
    [{}, "/Link"],
    [{ Link: "lan0", Minutes: 1441 }, "/Minutes"],
    [{ Link: "lan0", Minutes: -1 }, "/Minutes"],
    [{ Link: "lan0", Minutes: 1.5 }, "/Minutes"],
  ];
  for (const [body, pointer] of bad) {
    const answer = await router.ask("PUT", "/dhcp/newcomers", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual((await answer.json()).errors.map((one: { pointer: string }) => one.pointer), [
      pointer,
    ]);
  }
  assert.deepEqual(await router.json("GET", "/dhcp/newcomers"), { Open: [] });
});
