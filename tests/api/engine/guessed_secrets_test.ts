import assert from "node:assert/strict";
import type { Preview } from "../../../system/core/engine/change.ts";
import { namesSecret } from "../../../system/core/engine/journal/secrets.ts";
import { ExtraBssRequest } from "../../../system/wifi/extra_bss_schema.ts";
import { guestSecrets, setGuests } from "../../../system/wifi/guests/rules.ts";
import { GuestRequest } from "../../../system/wifi/guests/schema.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { configWith } from "../../kit/builders/device_config.ts";
import { extraBssSecrets } from "../../../system/wifi/radio/rules.ts";
import { siteSecrets } from "../../../system/wireguard/secret_paths.ts";
import { SiteRequest } from "../../../system/wireguard/wire.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01", OTHER = "02:00:00:00:0a:02";
const RIGHT = "correct horse battery", WRONG = "incorrect horse battery";
const KEY = `${"B".repeat(42)}A=`;
const psk = (Psk: string) => ({ PSKEntry: { Type: "sae", Psk } });

/** A secret: how it is set, where its entity tag is read, and a value of its form. */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly tag: readonly [method: string, path: string];
  readonly body: (secret: string) => unknown;
  readonly right: string;
  readonly wrong: string;
}

const text = { right: RIGHT, wrong: WRONG };
const CASES: readonly Case[] = [
  {
    name: "the password of a device",
    path: `/device?identity=${CARD}`,
    tag: ["HEAD", `/device?identity=${CARD}`],
    body: psk,
    ...text,
  },
  {
    name: "the password of a device that has yet to join",
    path: "/device?identity=pending",
    tag: ["GET", "/devices"],
    body: (secret) => ({ Name: "Another", ...psk(secret) }),
    ...text,
  },
  {
    name: "a list of devices",
    path: "/devices",
    tag: ["GET", "/devices"],
    body: (secret) => ({ [CARD]: { MAC: CARD, ...psk(secret) } }),
    ...text,
  },
  {
    name: "a PPPoE account",
    path: "/uplink/ppp",
    tag: ["GET", "/uplink/ppp"],
    body: (Secret) => ({ Iface: "wan0", Username: "me", Secret, Enabled: false }),
    ...text,
  },
  {
    name: "all settings of an uplink with PPPoE",
    path: "/link/settings",
    tag: ["GET", "/uplink/ppp"],
    body: (Secret) => ({
      ...{ Name: "wan0", Enabled: false, Addressing: "pppoe" },
      PPPoE: { Username: "me", Secret },
    }),
    ...text,
  },
  {
    name: "dynamic DNS",
    path: "/plugins/dyndns/config",
    tag: ["GET", "/plugins/dyndns/config"],
    body: (login_token) => ({
      provider: "DuckDNS",
      login_token,
      domains: [{ domain_name: "home.duckdns.example" }],
    }),
    ...text,
  },
  {
    name: "the parent of a leaf router",
    path: "/plugins/mesh/setParentCredentials",
    tag: ["GET", "/plugins/mesh/config"],
    body: (secret) => ({
      ParentIP: "192.168.2.1",
      ParentAPIToken: secret.replaceAll(" ", "-"),
    }),
    ...text,
  },
  {
    name: "a network that an uplink joins",
    path: "/uplink/wifi",
    tag: ["GET", "/uplink/wifi"],
    body: (Password) => ({ Iface: "wlan9", Networks: [{ SSID: "cafe", Password }] }),
    ...text,
  },
  {
    name: "a preshared key",
    path: "/plugins/wireguard/peer",
    tag: ["GET", "/plugins/wireguard/settings"],
    body: (PresharedKey) => ({ PublicKey: KEY, AllowedIPs: "192.168.2.22/32", PresharedKey }),
    right: KEY,
    wrong: `${"C".repeat(42)}A=`,
  },
];

async function tagOf(router: TestRouter, [method, path]: Case["tag"]): Promise<string> {
  const answer = await router.ask(method, path);
  await answer.body?.cancel();
  return answer.headers.get("etag") ?? "";
}

function previewed(router: TestRouter, { path }: Pick<Case, "path">, body: unknown) {
  return router.json<Preview>("PUT", `${path}${path.includes("?") ? "&" : "?"}dryRun=true`, {
    body,
  });
}

/** What a caller gets to see of a change. */
async function seen(router: TestRouter, one: Case, secret: string) {
  const before = await tagOf(router, one.tag);
  const answer = await router.ask("PUT", one.path, { body: one.body(secret) });
  await answer.body?.cancel();
  const id = answer.headers.get("change-id");
  const change = id === null
    ? null
    : await router.json<{ patch: unknown; summary: string }>("GET", `/changes/${id}`);
  const undo = id === null
    ? null
    : await router.json<Preview>("PUT", `/changes/${id}/undo?dryRun=true`);
  return {
    status: answer.status,
    patch: change?.patch,
    summary: change?.summary,
    isTagNew: await tagOf(router, one.tag) !== before,
    undo: undo?.config,
    undoEffects: undo?.effects,
  };
}

for (const one of CASES) {
  Deno.test(`neither a preview nor a change discloses whether a guess is right: ${one.name}`, async () => {
    const found = [];
    for (const guess of [one.right, one.wrong]) {
      await using router = await testRouter();
      const set = await router.ask("PUT", one.path, { body: one.body(one.right) });
      assert.equal(set.status, 200, await set.text());
      const { config, system, effects } = await previewed(router, one, one.body(guess));
      assert.ok(config.length > 0, "something is said to be set");
      found.push({ config, system, effects, ...await seen(router, one, guess) });
    }
    assert.deepEqual(found[0], found[1]);
    assert.equal(found[0]!.isTagNew, true);
  });
}

Deno.test("the order of a change does not disclose which of two passwords was guessed", async () => {
  const found = [];
  for (const guesses of [[RIGHT, WRONG], [WRONG, RIGHT], [RIGHT, RIGHT], [WRONG, WRONG]]) {
    await using router = await testRouter();
    const devices = (passwords: readonly string[]) =>
      Object.fromEntries(
        [CARD, OTHER].map((
          MAC,
          at,
        ) => [MAC, { MAC, Name: `Device ${at}`, ...psk(passwords[at]!) }]),
      );
    const set = await router.ask("PUT", "/devices", { body: devices([RIGHT, RIGHT]) });
    assert.equal(set.status, 200, await set.text());
    const { config } = await previewed(router, { path: "/devices" }, devices(guesses));
    found.push(config);
  }
  assert.ok(found[0]!.length > 0);
  for (const other of found) assert.deepEqual(other, found[0]);
});

Deno.test("a copied password does not disclose whether two devices have the same", async () => {
  const found = [];
  for (const guess of [RIGHT, WRONG]) {
    await using router = await testRouter();
    await router.json("PUT", `/device?identity=${CARD}`, { body: psk(RIGHT) });
    await router.json("PUT", `/device?identity=${OTHER}`, { body: psk(guess) });
    found.push(
      (await previewed(router, { path: `/device?identity=${CARD}&copy=${OTHER}` }, {})).config,
    );
  }
  assert.deepEqual(found[0], found[1]);
});

Deno.test("going back does not disclose whether a password set since is the one of then", async () => {
  const found = [];
  for (const guess of [RIGHT, WRONG]) {
    await using router = await testRouter();
    const set = await router.ask("PUT", `/device?identity=${CARD}`, { body: psk(RIGHT) });
    await set.body?.cancel();
    await router.json("PUT", `/device?identity=${CARD}`, { body: psk(guess) });
    const point = `/changes/${set.headers.get("change-id")}/restore?dryRun=true`;
    found.push((await router.json<Preview>("PUT", point)).config);
  }
  assert.ok(found[0]!.length > 0);
  assert.deepEqual(found[0], found[1]);
});

Deno.test("a guess is not revealed by what else changes with it: the device that waits is another in both cases", async () => {
  for (const guess of [RIGHT, WRONG]) {
    await using router = await testRouter();
    await router.json("PUT", "/device?identity=pending", {
      body: { Name: "One", Groups: ["kids"], ...psk(RIGHT) },
    });
    await router.json("PUT", "/device?identity=pending", { body: { Name: "Two", ...psk(guess) } });
    assert.deepEqual(router.engine.config.devices["pending"]?.Groups, []);
  }
});

Deno.test("the mask and what is left out set nothing", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${CARD}`, { body: psk(RIGHT) });
  const tag = await tagOf(router, CASES[0]!.tag);
  for (const body of [psk("**"), {}]) {
    assert.deepEqual((await previewed(router, CASES[0]!, body)).config, []);
    const answer = await router.ask("PUT", CASES[0]!.path, { body });
    await answer.body?.cancel();
    assert.equal(answer.headers.get("change-id"), null);
  }
  assert.equal(await tagOf(router, CASES[0]!.tag), tag);
});

Deno.test("a password that was set meanwhile is a lost update for who saw the old one", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${CARD}`, { body: psk(RIGHT) });
  for (
    const [path, tag] of [
      [CASES[0]!.path, await tagOf(router, CASES[0]!.tag)],
      ["/devices", await tagOf(router, ["GET", "/devices"])],
    ] as const
  ) {
    await router.json("PUT", CASES[0]!.path, { body: psk(WRONG) });
    const answer = await router.ask("PUT", path, {
      body: path === "/devices" ? { [CARD]: psk("**") } : { Name: "Mine" },
      headers: { "if-match": tag },
    });
    await answer.body?.cancel();
    assert.equal(answer.status, 412, path);
  }
});

Deno.test("a change that set a password to what it was is undone, and its undo as well", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${CARD}`, { body: psk(RIGHT) });
  const answer = await router.ask("PUT", CASES[0]!.path, { body: psk(RIGHT) });
  await answer.body?.cancel();
  const undo = await router.ask("PUT", `/changes/${answer.headers.get("change-id")}/undo`);
  await undo.body?.cancel();
  assert.equal(undo.status, 200);
  assert.equal(router.engine.config.devices[CARD]?.PSKEntry.Psk, RIGHT);
});

/** Writes that say a secret and are tested elsewhere, or cannot be guessed at. */
const OTHERS: Readonly<Record<string, string>> = {
  "/alerts/channels": "tested below, by the id that the router chooses",
  "/device/{identity}": "as by the query",
  "/hostapd/{interface}/enableExtraBSS": "tested below, without a radio",
  "/wifi/guests": "tested below, without a radio",
  "/plugins/wireguard/site": "random keys, tested by its places",
  "/plugins/mesh/leafRouter": "the leaf itself refuses a wrong token",
  "/plugins/mesh/syncOTP": "its preview says the same whatever the secrets are",
  "/plugins/wireguard/peer/rotate": "takes the public key alone",
  "/plugins/wireguard/settings": "NewKey is a switch",
  "/auth/users/{name}": "hashed with a salt of its own each time, so that it is always another",
  "/setup": "before there is anything to guess",
};

Deno.test("every write whose body says a password or key is among these tests", async () => {
  await using router = await testRouter();
  const document = await router.json<{
    paths: Record<string, Record<string, { requestBody?: unknown; parameters?: unknown }>>;
    components: { schemas: Record<string, unknown> };
  }>("GET", "/openapi.json");
  const named = (value: unknown, seen: ReadonlySet<string>): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const ref = (value as { $ref?: string }).$ref;
    if (ref !== undefined) {
      if (seen.has(ref)) return false;
      return named(document.components.schemas[ref.split("/").at(-1)!], new Set([...seen, ref]));
    }
    const { properties = {} } = value as { properties?: Record<string, unknown> };
    return Object.keys(properties).some(namesSecret) ||
      Object.values(value).some((inner) => named(inner, seen));
  };
  const found = Object.entries(document.paths).filter(([, { put }]) =>
    put !== undefined && JSON.stringify(put.parameters ?? []).includes("DryRun") &&
    named(put.requestBody, new Set())
  ).map(([path]) => path);
  const known = new Set([...CASES.map(({ path }) => path.split("?")[0]!), ...Object.keys(OTHERS)]);
  assert.deepEqual(found.filter((path) => !known.has(path)), []);
  assert.ok(found.length >= CASES.length - 1);
});

Deno.test("neither a preview nor a change discloses whether a guess is right: a channel of alerts", async () => {
  const found = [];
  for (const guess of [RIGHT, WRONG]) {
    await using router = await testRouter();
    const channel = {
      ...{ name: "Hook", kind: "webhook", types: ["error"], url: "https://hooks.example.org/" },
      secret: RIGHT,
    };
    const [{ id } = { id: "" }] = await router.json<{ id: string }[]>("PUT", "/alerts/channels", {
      body: channel,
    });
    const body = { ...channel, id, secret: guess };
    const { config, effects } = await previewed(router, { path: "/alerts/channels" }, body);
    assert.ok(config.length > 0, "something is said to be set");
    const tag = ["GET", "/alerts/channels"] as const;
    const before = await tagOf(router, tag);
    await router.json("PUT", "/alerts/channels", { body });
    const isTagNew = await tagOf(router, tag) !== before;
    found.push(JSON.stringify({ config, effects, isTagNew }).replaceAll(id, "id"));
    assert.ok(isTagNew);
  }
  assert.deepEqual(found[0], found[1]);
});

Deno.test("the password of an additional network and the keys of a site count as set where they are said", () => {
  const network = ExtraBssRequest.parse({ Ssid: "guests", GuestPassword: RIGHT });
  assert.deepEqual(extraBssSecrets("wlan0", network), [{
    document: "interfaces",
    path: ["wlan0", "ExtraBSS", "guests", "GuestPassword"],
  }]);
  assert.deepEqual(extraBssSecrets("wlan0", { ...network, GuestPassword: "**" }), []);
  const link = Interface.parse({ Name: "wlan0", Type: "AP", Enabled: true });
  const config = configWith({ interfaces: [link] });
  const guests = GuestRequest.parse({ Name: "guests", Password: RIGHT });
  assert.deepEqual(guestSecrets(config, guests), extraBssSecrets("wlan0", network));
  assert.deepEqual(guestSecrets(config, { ...guests, Password: "**" }), []);
  const options = { generated: WRONG, now: 0 };
  const [on, first] = setGuests(config, guests, options);
  assert.deepEqual(setGuests(on, guests, options)[1], first, "a right guess answers as any other");
  const site = SiteRequest.parse({ Name: "Cabin", PresharedKey: KEY, PrivateKey: KEY });
  assert.deepEqual(siteSecrets(site).map(({ path }) => path.join("/")), [
    "Sites/Cabin/PrivateKey",
    "Sites/Cabin/PresharedKey",
  ]);
  assert.deepEqual(siteSecrets({ ...site, PresharedKey: "**", PrivateKey: "" }), []);
});
