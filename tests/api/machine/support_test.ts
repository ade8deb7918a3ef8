import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import type { MachineOptions } from "../../../routes/composition/machine.ts";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { gunzip } from "../../../system/backup/gzip.ts";
import { readTar } from "../../../system/backup/tar.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { maskAt, maskWholeSteps } from "../../../system/core/engine/journal/secrets.ts";
import {
  cleanSteps,
  redactNamed,
  scrubber,
  secretsOf,
} from "../../../system/machine/support/scrub.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { otpOf } from "../../kit/otp.ts";
import { PASSWORD, type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";

async function bundleOf(router: TestRouter): Promise<ReadonlyMap<string, string>> {
  const answer = await router.ask("GET", "/support");
  assert.equal(answer.status, 200);
  const files = readTar(await gunzip(new Uint8Array(await answer.arrayBuffer())));
  return new Map(files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
}

/** A machine of which nothing can be had. */
const BROKEN: Omit<MachineOptions, "journal"> = {
  root: "/nowhere",
  features: [],
  programs: {
    list: () => Promise.reject(new Error("no launcher")),
    restart: () => Promise.resolve(),
  },
  packages: NO_PACKAGES,
  machine: {
    ping: () => Promise.reject(new Error()),
    sockets: () => Promise.reject(new Error()),
    containers: () => Promise.reject(new Error()),
    actOnContainers: () => Promise.reject(new Error()),
    deployContainers: () => Promise.reject(new Error()),
    removeContainers: () => Promise.reject(new Error()),
    checkRegistryLogin: () => Promise.reject(new Error()),
    networks: () => Promise.reject(new Error()),
    virtualMachines: () => Promise.reject(new Error()),
    syncTime: () => Promise.reject(new Error()),
    setClock: () => Promise.reject(new Error()),
    isClockSynchronised: () => Promise.reject(new Error()),
  },
  serveTls: () => Promise.resolve(),
};

Deno.test("a support bundle contains no secret of the home", async () => {
  await using router = await testRouter();
  const secrets = [
    'first "psk" 1234',
    "second psk 9876",
    "a new password 1",
    "their secret 12",
    "guest secret 12",
    PASSWORD,
  ];
  const [first, second, fresh, leaked, guest] = secrets as [string, string, string, string, string];
  const old = "what pppd said before";
  const typed = 'sae_password: "xyzzy knows" and Authorization: Bearer abcdef123456';
  const earlier = Object.values(router.engine.config.users);
  const put = async (path: string, body: unknown, headers = {}) => {
    const answer = await router.ask("PUT", path, { body, headers });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
    return answer;
  };
  const headers = await otpOf(router);
  const seed = router.access.otp.users()[0]!.Secret;
  assert.ok(seed.length > 10);
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "t" },
    headers,
  });
  await put(`/device?identity=${CARD}`, { Name: "one", PSKEntry: { Type: "sae", Psk: first } });
  await put(`/device?identity=${CARD}`, { PSKEntry: { Type: "sae", Psk: second } });
  // Somebody typed a password into the wrong fields.
  await put("/device?identity=02:00:00:00:0a:02", { Name: second });
  await put("/groups", { Name: "kitchen" });
  await put("/hostapd/wlan0/enable", undefined);
  await put("/hostapd/wlan0/enableExtraBSS", { Ssid: "guests", GuestPassword: guest });
  await Deno.writeTextFile(
    join(router.home, "state/logs/sluice.jsonl"),
    `${
      JSON.stringify({
        time: new Date().toISOString(),
        level: "error",
        process: "wifid",
        event: "wifi.bad_line",
        message: `hostapd: bad line psk=${second}`,
        before: `it was ${first} once, and ${old} for pppd; ${typed}`,
      })
    }\n`,
  );
  await put("/uplink/ppp", { Iface: "wan0", Username: "me", Secret: old, Enabled: true });
  await put("/uplink/ppp", { Iface: "wan0", Username: "me", Secret: "a newer secret" });
  await put("/auth/password", { Current: PASSWORD, New: fresh });
  const as = `Basic ${btoa(`admin:${fresh}`)}`;
  const answer = await router.ask("GET", "/support", { as });
  assert.match(answer.headers.get("content-disposition") ?? "", /sluice-support-\d{8}-\d{6}\.tgz/);
  const files = readTar(await gunzip(new Uint8Array(await answer.arrayBuffer())));
  const texts = new Map(files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));

  const all = [...texts.values()].join("\n");
  const records = Object.values(router.engine.config.users);
  const jwt = headers["x-jwt-otp"]!;
  const replaced = [first, old, "a newer secret", "xyzzy", "abcdef123456", ...earlier];
  for (
    const secret of [second, fresh, leaked, PASSWORD, seed, Token, jwt, ...records, ...replaced]
  ) {
    assert.ok(!all.includes(secret), `${secret} is in the bundle`);
    assert.ok(!all.includes(JSON.stringify(secret).slice(1, -1)), `${secret} is in it as JSON`);
  }
  assert.doesNotMatch(all, /first .{0,3}psk/);
  const has = (name: string, text: RegExp) =>
    assert.match(texts.get(`sluice-support/${name}`) ?? "", text, name);
  has("about.json", /"version": "v0\.0\.0"/);
  has("ruleset.nft", /table inet filter/);
  has("logs.jsonl", /hostapd: bad line psk=\(hidden\)/);
  has("configs/devices/devices.json", /\(hidden\)/);
  has("configs/base/dhcp.json", /192\.168\.2\.0/);
  has("kernel.json", /"links"/);
  has("changes.json", /kitchen/);
  has("network.json", /"state"/);
  has("processes.json", /"api"/);
  has("notices.json", /"items"/);
});

Deno.test("a support bundle is made despite failures, and names what is missing", async () => {
  await using router = await testRouter({
    machine: { ...BROKEN, journal: () => Promise.reject(new Error("journalctl: garbage")) },
  });
  const texts = await bundleOf(router);
  assert.match(texts.get("sluice-support/processes.json") ?? "", /no launcher/);
  assert.match(texts.get("sluice-support/logs.jsonl") ?? "", /journalctl: garbage/);
});

Deno.test("a failing journal does not keep our own log out of a support bundle", async () => {
  await using router = await testRouter({
    machine: {
      ...BROKEN,
      journal: () =>
        Promise.resolve({
          // deno-lint-ignore require-yield -- it fails before its first entry
          async *newestFirst() {
            throw new Problem(502, "journalctl: no permission");
          },
        }),
    },
  });
  const path = join(router.home, "state/logs/sluice.jsonl");
  const time = new Date().toISOString();
  const problem = {
    time,
    level: "info",
    process: "api",
    event: "test.said",
    message: "Something of our own",
  };
  await Deno.writeTextFile(path, `${JSON.stringify(problem)}\n`);
  const text = (await bundleOf(router)).get("sluice-support/logs.jsonl") ?? "";
  assert.match(text, /journalctl: no permission/);
  assert.match(text, /Something of our own/);
  const shown = await router.json<{ MESSAGE: string }[]>("GET", "/logs");
  assert.match(
    shown[0]!.MESSAGE,
    /^The machine's journal cannot be read: journalctl: no permission/,
  );
  assert.equal(shown.at(-1)!.MESSAGE, "Something of our own");
});

Deno.test("secrets are masked and removed in every encoding; short texts are left", () => {
  const rules = {
    secret: (path: readonly string[]) => path.at(-1) === "Key",
    keyOf: (element: unknown) => (element as { Name: string }).Name,
  };
  const value = [{ Name: "a", Key: 'x"y+z 12' }, { Name: "b", Key: { Inner: ["deep secret"] } }];
  assert.deepEqual(atOnce(secretsOf(value, rules)), ['x"y+z 12', "deep secret"]);
  assert.doesNotMatch(JSON.stringify(atOnce(maskWholeSteps(value, rules))), /y\+z|deep/);
  const scrub = scrubber(['x"y+z 12', "deep secret", "deep secret of all", "ab"]);
  assert.equal(
    scrub('x"y+z 12 x\\"y+z 12 x%22y%2Bz%2012 deep secret of all deep secret ab'),
    "(hidden) (hidden) (hidden) (hidden) (hidden) ab",
  );
  assert.equal(
    redactNamed('psk=abc Password: "x y", token=1;Authorization: Bearer z PSK is set; tokens: 3'),
    'psk=(hidden) Password: "(hidden) y", token=(hidden);Authorization: Bearer (hidden) ' +
      "PSK is set; tokens: 3",
  );
  assert.equal(scrubber([])("as it is"), "as it is");
});

Deno.test("a long text is cleaned part by part as it would be as a whole", () => {
  const scrub = scrubber(["deep secret", "two\nlines of it"]);
  const lines = Array.from({ length: 9000 }, (_, n) => `line ${n} with a deep secret in it`);
  const text = `${lines.join("\n")}\ntwo\nlines of it`;
  let parts = 0;
  const clean = (part: string): string => {
    parts++;
    return scrub(part);
  };
  assert.equal(atOnce(cleanSteps(text, clean, { isWhole: false })), scrub(text));
  assert.ok(parts > 2);
  assert.equal(atOnce(cleanSteps(text, scrub, { isWhole: true })), scrub(text));
  assert.equal(atOnce(cleanSteps("", scrub, { isWhole: false })), "");
});

Deno.test("a named secret is removed wherever the text is cut into parts", () => {
  const scrub = scrubber(["deep secret"]);
  const clean = (part: string): string => scrub(redactNamed(part));
  const words = [
    ...["password", "PSK", "wpa_passphrase", "Authorization", "a", "hunter2", "deep secret"],
    ...["=", ":", ",", '"', "\\", "Bearer", "basic"],
    ...[" ", "\t", "\n", "\n", "\r\n", "\n\n \n", "\u2028"],
  ];
  const texts = fc.array(fc.constantFrom(...words), { maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), (list, part) => {
      const text = list.join("");
      assert.equal(atOnce(cleanSteps(text, clean, { isWhole: false, part })), clean(text));
    }),
    { numRuns: 2000 },
  );
  for (const name of ["password:", 'psk"\n=', "Authorization: Bearer", "token =\n\n\t"]) {
    const text = `a\n${name}\nhunter2\nb\n`;
    for (let part = 1; part < text.length; part++) {
      const cleaned = atOnce(cleanSteps(text, clean, { isWhole: false, part }));
      assert.doesNotMatch(cleaned, /hunter2/, JSON.stringify([text, part]));
    }
  }
  // Names and blank lines without an end are gone through once.
  const long = "password:\n".repeat(20_000) + "\n".repeat(200_000);
  assert.equal(atOnce(cleanSteps(long, clean, { isWhole: false, part: 1 })), clean(long));
});

Deno.test("a large value is masked in steps as a small one at once", () => {
  const rules = {
    secret: (path: readonly string[]) => path.length === 3 && path[1] === "PSKEntry",
    keyOf: (element: unknown) => JSON.stringify(element),
  };
  const device = (n: number) => ({
    Name: `d${n}`,
    PSKEntry: { Psk: n % 3 === 0 ? "" : `secret ${n}` },
    Tags: ["a", "b"],
    Password: "x",
    list: [{ token: "t", n }],
  });
  const value = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`m${n}`, device(n)]));
  for (const some of [value, [value, [1, "a"], null, ""]]) {
    assert.deepEqual(atOnce(maskWholeSteps(some, rules)), maskAt(some, [], rules));
  }
  const plain = { list: Array.from({ length: 2000 }, (_, n) => ({ n })) };
  assert.equal(atOnce(maskWholeSteps(plain, rules)), plain, "what holds no secret stays the same");
});
