import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { type MeshRouter, meshRouter } from "../../kit/mesh/mesh_bed.ts";
import { REPORT_TOKEN_NAME, REPORT_TOKEN_SCOPES } from "../../../system/mesh/rules.ts";
import { addDevice, join, PATH, put, refused, stands } from "../../kit/mesh/joining.ts";

Deno.test("the token of a leaf is replaced, and one that ended is reported", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  const first = await join(parent, leaf);
  await parent.router.ask("PUT", `${PATH}/rotateToken`, { body: { IP: leaf.address } })
    .then(async (answer) => assert.equal(answer.status, 200, await answer.text()));
  const second = parent.router.engine.config.mesh.LeafRouters[0]!.APIToken;
  assert.notEqual(second, first);
  const ask = (token: string) =>
    leaf.router.ask("GET", `${PATH}/leafMode`, { as: `Bearer ${token}` });
  assert.equal((await ask(first)).status, 401);
  assert.equal((await ask(second)).status, 200);
  await addDevice(parent.router, 2, "Laptop");
  await stands(parent, leaf, "synced");
  // Somebody makes another on the leaf itself: the parent's has ended.
  const third = await leaf.leafToken();
  await parent.router.ask("PUT", "/hostapd/syncMesh");
  await stands(parent, leaf, "refused");
  assert.equal((await put(parent, leaf, third)).status, 200);
  await stands(parent, leaf, "synced");
});

Deno.test("each leaf reports with a token of its own, which ends when it is removed", async () => {
  await using parent = await meshRouter(1);
  await using one = await meshRouter(2);
  await using two = await meshRouter(3);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, one);
  await join(parent, two);
  const tokenOf = (leaf: MeshRouter) =>
    leaf.router.engine.config.mesh.ParentCredentials.ParentAPIToken;
  const report = async (token: string, Router: string) => {
    const answer = await parent.router.ask("PUT", "/reportPSKAuthSuccess", {
      as: `Bearer ${token}`,
      body: { Iface: "wlan0.3", Event: "connect", Mac: mac(1), Router },
    });
    return [answer.status, await answer.text()] as const;
  };
  const [first, second] = [tokenOf(one), tokenOf(two)];
  assert.notEqual(first, second);
  for (const [token, leaf] of [[first, one], [second, two]] as const) {
    assert.equal((await report(token, leaf.address))[0], 200);
  }
  const [status, words] = await report(first, two.address);
  assert.equal(status, 403);
  assert.match(words, /token is that of the leaf router 127\.0\.0\.2, not of 127\.0\.0\.3/);
  const set = async () =>
    (await two.router.json<{ items: { kind: string }[] }>("GET", "/changes")).items
      .filter(({ kind }) => kind === "mesh.parent").length;
  const before = await set();
  await parent.restartMesh();
  await parent.router.ask("PUT", "/hostapd/syncMesh");
  await stands(parent, two, "synced");
  assert.equal(await set(), before, "what it has already is no change");
  const body = { IP: one.address, APIToken: "**", TLSCA: "" };
  await parent.router.ask("DELETE", `${PATH}/leafRouter`, { body });
  await eventually(
    "the token ends",
    async () => assert.equal((await report(first, one.address))[0], 401),
  );
  assert.equal(tokenOf(two), second, "the other leaf keeps its own");
  assert.equal((await report(second, two.address))[0], 200);
});

Deno.test("tokens and one-time passwords are previewed, and nothing happens", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  const token = await join(parent, leaf);
  const before = leaf.requests.length;
  const preview = async (router: MeshRouter["router"], path: string, more = {}) =>
    (await router.json<{ effects: string[] }>("PUT", `${PATH}/${path}?dryRun=true`, more))
      .effects.join();
  const body = { IP: leaf.address };
  assert.match(
    await preview(parent.router, "rotateToken", { body }),
    /leaf router 127\.0\.0\.2 makes another token/,
  );
  assert.match(await preview(parent.router, "syncOTP"), /to each leaf router: 127\.0\.0\.2/);
  const as = `Bearer ${token}`;
  assert.match(await preview(leaf.router, "leafToken", { as }), /Another leaf token is made/);
  assert.deepEqual(
    leaf.requests.slice(before).filter((request) => /leafToken|syncOTP/.test(request)),
    [],
  );
  assert.equal(parent.router.engine.config.mesh.LeafRouters[0]!.APIToken, token);
  const other = await parent.router.ask("PUT", `${PATH}/rotateToken`, {
    body: { IP: "192.168.2.99" },
  });
  await refused(other, 404, /No leaf router has the address 192\.168\.2\.99/);
  const window = await parent.router.ask("PUT", `${PATH}/rotateToken`, {
    body,
    headers: { "confirm-within": "60" },
  });
  await refused(window, 400, /at once/);
});

Deno.test("the token of leaf routers speaks for leaf routers alone", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const as = `Bearer ${leaf.router.engine.config.mesh.ParentCredentials.ParentAPIToken}`;
  const report = (Router: string) =>
    parent.router.ask("PUT", "/reportPSKAuthSuccess", {
      as,
      body: { Iface: "wlan0.3", Event: "connect", Mac: mac(1), Router },
    });
  await refused(await report(""), 403, /no leaf router/);
  await refused(await report("192.168.2.99"), 403, /192\.168\.2\.99 is no leaf router/);
  assert.equal((await report(leaf.address)).status, 200);
  assert.equal((await parent.router.ask("GET", "/devices", { as })).status, 403);
});

Deno.test("a token of a leaf's name that was made for no leaf reports nothing", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const { Token } = await parent.router.access.tokens.create({
    ...{ Name: REPORT_TOKEN_NAME, Expire: 0, ScopedPaths: [...REPORT_TOKEN_SCOPES] },
  });
  const as = `Bearer ${Token}`, where = { Iface: "wlan0.3", Router: leaf.address };
  for (
    const [path, body] of [
      ["/reportPSKAuthSuccess", { ...where, Event: "connect", Mac: mac(1) }],
      ["/reportPSKAuthFailure", {
        ...{ ...where, Event: "failure", MAC: mac(1), Type: "sae", Reason: "mismatch" },
      }],
      ["/reportDisconnect", { ...where, Event: "disconnect", MAC: mac(1) }],
    ] as const
  ) {
    const answer = await parent.router.ask("PUT", path, { as, body });
    await refused(answer, 403, /made for no leaf router/);
  }
});
