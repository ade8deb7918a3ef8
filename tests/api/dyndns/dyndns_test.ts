import assert from "node:assert/strict";
import { memoryHost } from "../../../system/host/memory/host.ts";
import type { DyndnsAnswer, DyndnsStatus } from "../../../system/dyndns/schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/dyndns";
const SETTINGS = {
  provider: "noip",
  email: "anna@example.org",
  password: "secret word",
  domains: [{ domain_name: "Example.org", sub_domains: ["home", "@"] }],
};

const applied = (): Promise<TestRouter> => {
  const links = ["lo", "wan0", "lan0", "lan1"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  return testRouter({ host });
};
const put = (router: TestRouter, body: unknown) => router.ask("PUT", `${PATH}/config`, { body });
const config = (router: TestRouter) => router.json<DyndnsAnswer>("GET", `${PATH}/config`);

async function set(router: TestRouter, body: unknown): Promise<void> {
  const answer = await put(router, body);
  assert.equal(answer.status, 200, await answer.text());
}

Deno.test("settings are stored, and their secrets never shown", async () => {
  await using router = await testRouter();
  assert.equal((await config(router)).provider, "");
  await set(router, SETTINGS);
  const stored = await config(router);
  assert.deepEqual(stored, {
    provider: "NoIP",
    email: "anna@example.org",
    password: "**",
    login_token: "",
    domains: [{ domain_name: "example.org", sub_domains: ["home", "@"] }],
    ip_urls: [],
    ip_url: "",
    ipv6_url: "",
    ip_type: "",
    interval: 300,
    socks5: "",
    resolver: "",
    run_once: false,
    update_url: "",
  });
  await set(router, { ...stored, interval: 600 });
  assert.equal(router.engine.config.dyndns.password, "secret word", "masked stays");
  const changes = await (await router.ask("GET", "/changes")).text();
  assert.doesNotMatch(changes, /secret word/);
  const file = `${router.home}/configs/dyndns/godyndns.json`;
  assert.equal((await Deno.stat(file)).mode! & 0o077, 0);
});

Deno.test("what existing clients send is understood, a single page for the address too", async () => {
  await using router = await testRouter();
  await set(router, {
    ...SETTINGS,
    ip_url: "https://api.ipify.org",
    ipv6_url: "",
    ip_type: "IPv4",
    socks5: "",
    resolver: "8.8.8.8",
    run_once: true,
    interval: 0,
  });
  const { ip_urls, ip_url, run_once, interval } = await config(router);
  assert.deepEqual([ip_urls, ip_url, run_once, interval], [
    ["https://api.ipify.org"],
    "https://api.ipify.org",
    false,
    300,
  ]);
});

Deno.test("settings that cannot work are refused with their place", async () => {
  await using router = await testRouter();
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [{ ...SETTINGS, provider: "Nobody" }, /\/provider.*Custom/],
    [{ ...SETTINGS, password: "" }, /\/password/],
    [{ ...SETTINGS, provider: "DuckDNS" }, /\/login_token/],
    [{ ...SETTINGS, domains: [] }, /\/domains/],
    [{ ...SETTINGS, domains: [{ domain_name: "exa mple.org" }] }, /domain_name/],
    [{ ...SETTINGS, domains: [{ domain_name: "e.org", sub_domains: ["a b"] }] }, /sub_domains/],
    [{ ...SETTINGS, password: "a\nb" }, /\/password/],
    [{ ...SETTINGS, socks5: "127.0.0.1:9050" }, /\/socks5/],
    [{ ...SETTINGS, ip_type: "IPv6" }, /\/ip_type/],
    [{ ...SETTINGS, ip_urls: ["http://127.0.0.1/"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://localhost:80"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://[::1]/"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://[::ffff:127.0.0.1]/"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://169.254.169.254/"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://2130706433/"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ["http://192.168.2.1/"] }, /\/ip_urls\/0.*router/],
    [{ ...SETTINGS, provider: "Custom", update_url: "http://192.168.2.1/{ip}" }, /\/update_url/],
    [{ ...SETTINGS, ip_urls: ["file:///etc/shadow"] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, ip_urls: ['http://a"b'] }, /\/ip_urls\/0/],
    [{ ...SETTINGS, provider: "Custom" }, /\/update_url/],
    [{ ...SETTINGS, provider: "Custom", update_url: "https://d.example/" }, /no \{ip\}/],
    [
      { ...SETTINGS, provider: "Custom", update_url: "https://u:p@d.example/{ip}" },
      /\/update_url.*password/,
    ],
    [
      {
        ...SETTINGS,
        provider: "Custom",
        update_url: "https://d.example/?ip={ip}&apikey=0123",
      },
      /\/update_url.*\{token\}.*apikey.*login_token/,
    ],
  ];
  for (const [body, label] of bad) {
    const answer = await put(router, body);
    const text = await answer.text();
    assert.equal(answer.status, 400, `${JSON.stringify(body)} ${text}`);
    assert.match(text, label);
  }
  assert.equal((await config(router)).provider, "");
});

Deno.test("uplinkd gets the account with its names, and its report is the last result", async () => {
  await using router = await applied();
  await set(router, SETTINGS);
  const plan = await (await router.inside("uplink", "GET", "/dyndns")).json();
  assert.deepEqual(plan.settings.hosts.map(({ host }: { host: string }) => host), [
    "home.example.org",
    "example.org",
  ]);
  assert.equal(plan.address, "203.0.113.2");
  const status = () => router.json<DyndnsStatus>("GET", `${PATH}/status`);
  assert.deepEqual((await status()).Items.map(({ OK, Message }) => [OK, Message]), [
    [false, "Not yet tried"],
    [false, "Not yet tried"],
  ]);
  const report = (OK: boolean, refresh = 0) =>
    router.inside("uplink", "PUT", "/dyndns", {
      address: "203.0.113.2",
      refresh,
      items: ["home.example.org", "example.org"].map((Host) => ({
        ...{ Host, Address: "203.0.113.2", Time: 1, OK, Message: OK ? "Updated" : "Rejected" },
      })),
    });
  const failed = async () =>
    (await router.json<{ items: { kind: string; open: boolean }[] }>("GET", "/notices")).items
      .filter(({ kind }) => kind === "dyndns-failed").length;
  await (await report(false)).body?.cancel();
  assert.equal(await failed(), 2);
  await (await report(true)).body?.cancel();
  assert.equal(await failed(), 0);
  assert.equal((await status()).Items[0]!.OK, true);
  const refreshed = router.ask("PUT", `${PATH}/refresh`);
  const next = await (await router.inside("uplink", "GET", `/dyndns?known=${plan.tag}`)).json();
  assert.equal(next.refresh, 1);
  await (await report(true, 1)).body?.cancel();
  assert.equal((await refreshed).status, 200);
});

Deno.test("the name that follows the address is what VPN clients get", async () => {
  await using router = await testRouter();
  await set(router, SETTINGS);
  const client = await router.json<{ Peer: { Endpoint: string } }>(
    "PUT",
    "/plugins/wireguard/peer",
  );
  assert.equal(client.Peer.Endpoint, "home.example.org:51280");
});
