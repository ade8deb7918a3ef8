import assert from "node:assert/strict";
import { gunzip } from "../../../system/backup/gzip.ts";
import { readTar } from "../../../system/backup/tar.ts";
import { documents } from "../../../system/documents.ts";
import { maskAt } from "../../../system/core/engine/journal/secrets.ts";
import type { Document } from "../../../system/core/config/document.ts";
import { clampedKey } from "../../../system/wireguard/keys.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { otpOf } from "../../kit/otp.ts";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

/** A 32-byte key in base64 that is no other's, in the form in which private keys are stored. */
const key = (letter: string) => clampedKey(`${letter.repeat(42)}A=`);
const CARD = "02:00:00:00:0a:01";

/** A secret of every kind that a document holds. */
const SECRETS = {
  psk: "device secret 1",
  later: "device secret 2",
  guest: "guest secret 12",
  pppoe: "pppoe secret 12",
  join: "join secret 123",
  dyndns: "dyndns secret 1",
  login: "login-secret-12",
  tunnel: key("T"),
  preshared: key("P"),
  site: key("S"),
  siteShared: key("Q"),
  webhook: "webhookpath12",
  signing: "signing secret 1",
  topic: "topic-secret-12",
  unknown: "unknown secret 1",
} as const;

const FILES = {
  "base/interfaces.json": [
    ...WIRED,
    {
      Name: "wlan0",
      Type: "AP",
      Enabled: true,
      ExtraBSS: [{ Ssid: "guests", GuestPassword: SECRETS.guest }],
      // A field of a later release, or of another program.
      RadiusSecret: SECRETS.unknown,
    },
  ],
  "devices/devices.json": {
    [CARD]: { MAC: CARD, Name: "a", PSKEntry: { Type: "sae", Psk: SECRETS.psk } },
  },
  "ppp/ppp.json": { PPPs: [{ Iface: "wan0", Username: "me", Secret: SECRETS.pppoe }] },
};
const LATER: Readonly<Record<string, unknown>> = {
  "wifi_uplink/wpa.json": {
    WPAs: [{ Iface: "lan1", Networks: [{ SSID: "their", Password: SECRETS.join }] }],
  },
  "dyndns/godyndns.json": {
    provider: "NoIP",
    email: "a@example.org",
    password: SECRETS.dyndns,
    login_token: SECRETS.login,
    domains: [{ domain_name: "example.org", sub_domains: ["home"] }],
  },
  "base/alert_channels.json": [
    {
      ...{ id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1", name: "hook", kind: "webhook" },
      url: `https://hooks.example/?x=${SECRETS.webhook}`,
      secret: SECRETS.signing,
    },
    {
      ...{ id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c2", name: "phone", kind: "ntfy" },
      ...{ url: "https://ntfy.example", topic: SECRETS.topic },
    },
  ],
  "wireguard/wireguard.json": {
    Enabled: true,
    ListenPort: 51280,
    PrivateKey: SECRETS.tunnel,
    MTU: 0,
    Endpoints: [],
    Peers: [{ PublicKey: KEY, PresharedKey: SECRETS.preshared, PersistentKeepalive: 0 }],
    Sites: [{
      Name: "Cabin",
      Interface: "site0",
      PrivateKey: SECRETS.site,
      PeerPublicKey: OTHER_KEY,
      PresharedKey: SECRETS.siteShared,
      Endpoint: "",
      ListenPort: 51281,
      Networks: ["192.168.7.0/24"],
      Policies: [],
      Groups: [],
    }],
  },
};

/** Puts files of people in place, as an editor does, so that they are changes by file as well. */
async function edit(router: TestRouter): Promise<void> {
  for (const [path, value] of Object.entries(LATER)) {
    const file = `${router.home}/configs/${path}`;
    await Deno.mkdir(file.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(file, JSON.stringify(value));
  }
  await router.engine.adoptEditedFiles();
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

Deno.test("no route that a reader may call answers a secret of any document", async () => {
  await using router = await testRouter({ files: FILES });
  await edit(router);
  const stored = textOf(router.engine.config);
  for (const [name, secret] of Object.entries(SECRETS)) {
    if (name !== "later") {
      assert.ok(stored.includes(textOf(secret).slice(1, -1)), `${name} is stored`);
    }
  }
  const headers = await otpOf(router);
  const psk = { PSKEntry: { Type: "sae", Psk: SECRETS.later } };
  await router.json("PUT", `/device?identity=${CARD}`, { body: psk });
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "reader", ScopedPaths: ["/:r"] },
    headers,
  });
  const as = `Bearer ${Token}`;
  const look = (path: string, text: string): void => {
    for (const [name, secret] of Object.entries(SECRETS)) {
      assert.ok(!text.includes(textOf(secret).slice(1, -1)), `${path} tells ${name}`);
    }
  };
  let answered = 0;
  const reads = router.routes.map(({ description }) => description)
    .filter(({ method, access, path, status }) =>
      method === "GET" && (access === "auth" || access === "public") && status !== 101 &&
      path !== "/events"
    );
  assert.ok(reads.length > 60, String(reads.length));
  const { items } = await router.json<{ items: { id: string }[] }>("GET", "/changes", { as });
  assert.ok(items.length >= 4, "the edits are changes");
  // A read that has names updated would wait twenty seconds for a service that is not there.
  const report = { items: [], address: "", refresh: reads.length };
  assert.ok((await router.inside("uplink", "PUT", "/dyndns", report)).ok);
  for (const { path } of reads) {
    const values = path === "/changes/{id}" ? items.map(({ id }) => path.replace("{id}", id)) : [
      path.replaceAll(/\{(interface|network)\}/g, "wlan0").replaceAll(/\{site\}/g, "Cabin")
        .replaceAll(/\{\w+\}/g, "x"),
    ];
    for (const one of values) {
      const answer = await router.ask("GET", one, { as });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (answer.status === 200) answered++;
      look(one, new TextDecoder().decode(bytes));
      if (answer.status === 200 && (answer.headers.get("content-type") ?? "").includes("gtar")) {
        const packed = readTar(await gunzip(bytes));
        look(one, packed.map((file) => new TextDecoder().decode(file.bytes)).join("\n"));
      }
    }
  }
  assert.ok(answered > 50, `only ${answered} routes answered`);
});

Deno.test("each document masks what it holds of these secrets, and its public keys stay", () => {
  const all = { ...FILES, ...LATER };
  for (const [name, document] of Object.entries(documents)) {
    const raw = all[document.path as keyof typeof all];
    if (raw === undefined) continue;
    const { read, secret, keyOf } = document as Document<unknown>;
    const shown = textOf(maskAt(read(raw).value, [], { secret, keyOf }));
    for (const [which, text] of Object.entries(SECRETS)) {
      assert.ok(!shown.includes(textOf(text).slice(1, -1)), `${name} shows ${which}`);
    }
    if (name === "wireguard") assert.ok(shown.includes(KEY) && shown.includes(OTHER_KEY));
  }
});
