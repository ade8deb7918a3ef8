import assert from "node:assert/strict";
import { basic, PASSWORD, testRouter } from "../../kit/router.ts";

Deno.test("a token may undo what it may write, but never a change of a password", async () => {
  await using router = await testRouter();
  const { Token } = await router.access.tokens.create({
    Name: "t",
    Expire: 0,
    ScopedPaths: ["/changes", "/groups"],
  });
  const as = `Bearer ${Token}`;
  const group = await router.ask("PUT", "/groups", { as, body: { Name: "kids" } });
  const undone = await router.ask("PUT", `/changes/${group.headers.get("change-id")}/undo`, { as });
  assert.equal(undone.status, 200, await undone.text());

  const changed = await router.ask("PUT", "/auth/password", {
    body: { Current: PASSWORD, New: "another password" },
  });
  assert.equal(changed.status, 200, await changed.text());
  const id = changed.headers.get("change-id");
  for (const query of ["", "?dryRun=true"]) {
    const refused = await router.ask("PUT", `/changes/${id}/undo${query}`, { as });
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
  }
  const now = basic("admin", "another password");
  const allowed = await router.ask("PUT", `/changes/${id}/undo`, { as: now });
  assert.equal(allowed.status, 200, await allowed.text());
  assert.equal((await router.ask("GET", "/status")).status, 200, "the old password holds again");
});

Deno.test("a token may restore to a point, but never past a change of a password", async () => {
  await using router = await testRouter();
  const { Token } = await router.access.tokens.create({
    Name: "t",
    Expire: 0,
    ScopedPaths: ["/changes", "/groups"],
  });
  const as = `Bearer ${Token}`;
  const put = async (name: string) => {
    const answer = await router.ask("PUT", "/groups", { as, body: { Name: name } });
    await answer.body?.cancel();
    return answer.headers.get("change-id");
  };
  const restore = async (id: string | null, query = "", who = as) => {
    const answer = await router.ask("PUT", `/changes/${id}/restore${query}`, { as: who });
    await answer.body?.cancel();
    return answer;
  };
  const first = await put("kids");
  await put("guests");
  const restored = await restore(first);
  assert.equal(restored.status, 200);
  assert.ok(restored.headers.get("change-id"));
  const names = (await router.json<{ Name: string }[]>("GET", "/groups")).map(({ Name }) => Name);
  assert.ok(names.includes("kids") && !names.includes("guests"));
  assert.equal((await restore(first)).headers.get("change-id"), null, "it is there already");
  assert.equal((await restore("nothing")).status, 404);
  const changed = await router.ask("PUT", "/auth/password", {
    body: { Current: PASSWORD, New: "another password" },
  });
  assert.equal(changed.status, 200, await changed.text());
  for (const query of ["", "?dryRun=true"]) assert.equal((await restore(first, query)).status, 403);
  const now = basic("admin", "another password");
  const preview = await router.ask("PUT", `/changes/${first}/restore?dryRun`, { as: now });
  const text = await preview.text();
  assert.equal(preview.status, 200, text);
  assert.ok(text.includes("(hidden)") && !text.includes("pbkdf2"), text);
  assert.equal((await restore(first, "", now)).status, 200);
  assert.equal((await router.ask("GET", "/status")).status, 200, "the old password holds again");
});

Deno.test("a token undoes and restores only what its paths let it write", async () => {
  await using router = await testRouter();
  const token = async (...ScopedPaths: string[]) => {
    const { Token } = await router.access.tokens.create({ Name: "t", Expire: 0, ScopedPaths });
    return `Bearer ${Token}`;
  };
  const put = async (path: string, body: unknown) => {
    const answer = await router.ask("PUT", path, { body });
    await answer.body?.cancel();
    assert.equal(answer.status, 200, path);
    return answer.headers.get("change-id");
  };
  const start = await put("/groups", { Name: "before" });
  const made = {
    groups: await put("/groups", { Name: "kids" }),
    firewall: await put("/firewall/icmp", { PingLan: false, PingWan: false }),
    dhcp: await put("/subnetConfig", { TinyNets: ["10.9.0.0/24"], LeaseTime: "1h0m0s" }),
    uplink: await put("/uplink/ip", { Name: "wan0", IP: "203.0.113.9/24" }),
  };
  const ask = async (as: string, id: string | null, act: "undo" | "restore") => {
    const answer = await router.ask("PUT", `/changes/${id}/${act}?dryRun=true`, { as });
    await answer.body?.cancel();
    return answer.status;
  };
  const cases: readonly (readonly [string[], Partial<Record<keyof typeof made, number>>])[] = [
    [["/changes"], { groups: 403, firewall: 403, dhcp: 403, uplink: 403 }],
    [["/changes:rw", "/groups:r"], { groups: 403 }],
    [["/changes", "/groups"], { groups: 200, firewall: 403 }],
    [["/changes", "/firewall"], { groups: 403, firewall: 200 }],
    // Part of what writes a document is not all of it.
    [["/changes", "/firewall/forward"], { firewall: 403 }],
    [["/changes", "/uplink"], { uplink: 403 }],
    [["/changes", "/subnetConfig"], { dhcp: 200, groups: 403 }],
    [[], { groups: 200, firewall: 200, dhcp: 200, uplink: 200 }],
  ];
  for (const [paths, wanted] of cases) {
    const as = await token(...paths);
    for (const [name, status] of Object.entries(wanted)) {
      assert.equal(
        await ask(as, made[name as keyof typeof made], "undo"),
        status,
        `${paths}: ${name}`,
      );
    }
  }
  // To the start everything goes back; to the last change but one only the uplink.
  assert.equal(await ask(await token("/changes", "/groups"), start, "restore"), 403);
  assert.equal(await ask(await token(), start, "restore"), 200);
  const refused = await router.ask("PUT", `/changes/${made.groups}/undo`, {
    as: await token("/changes"),
  });
  assert.match((await refused.json()).detail, /does not cover (PUT|DELETE) \/groups/);
  assert.ok(router.engine.config.groups.some(({ Name }) => Name === "kids"), "nothing was undone");
  const mine = await router.ask("PUT", `/changes/${made.groups}/undo`);
  assert.equal(mine.status, 200, await mine.text());
});

Deno.test("what no route writes is undone by an admin alone", async () => {
  await using router = await testRouter();
  const { id } = await router.engine.change({
    kind: "test",
    summary: "Add a name",
    reduce: (config) => [{ ...config, names: ["router.example"] }, undefined],
  }, { caller: { by: "file", from: null, connection: null } });
  const { Token } = await router.access.tokens.create({ Name: "t", Expire: 0, ScopedPaths: [] });
  const refused = await router.ask("PUT", `/changes/${id}/undo`, { as: `Bearer ${Token}` });
  assert.equal(refused.status, 403, await refused.text());
  const undone = await router.ask("PUT", `/changes/${id}/undo`);
  assert.equal(undone.status, 200, await undone.text());
});
