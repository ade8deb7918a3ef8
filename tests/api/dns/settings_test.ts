import assert from "node:assert/strict";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const THREE = { UpstreamTLSHost: "dns.quad9.net", UpstreamIPAddress: "9.9.9.9", TlsDisable: false };

interface Settings {
  UpstreamIPAddress: string;
  TlsDisable: boolean;
  UpstreamProviders: { IPAddress: string }[];
  FamilyProviders: { IPAddress: string }[];
}

async function status(router: TestRouter, ...ask: Parameters<TestRouter["ask"]>): Promise<number> {
  const answer = await router.ask(...ask);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("PUT /dnsSettings replaces the settings, and undo restores the previous ones", async () => {
  await using router = await testRouter();
  const before = await router.json<Settings>("GET", "/dnsSettings");
  assert.ok(before.UpstreamProviders.length > 0 && before.FamilyProviders.length > 0);
  const answer = await router.ask("PUT", "/dnsSettings", { body: THREE });
  assert.equal(answer.status, 200);
  const id = answer.headers.get("change-id");
  const after = await answer.json() as Settings;
  assert.deepEqual(after.UpstreamProviders, [
    { IPAddress: "9.9.9.9", TLSHost: "dns.quad9.net", DisableTls: false },
  ]);
  assert.deepEqual(await router.json("GET", "/dnsSettings"), after);
  const again = await router.reopen();
  assert.deepEqual(await again.json("GET", "/dnsSettings"), after);
  assert.equal(await status(again, "PUT", `/changes/${id}/undo`), 200);
  assert.deepEqual(await again.json("GET", "/dnsSettings"), before);
  await again.close();
});

Deno.test("PUT /dnsSettings also accepts DisableTls, and field names in any case", async () => {
  await using router = await testRouter();
  const body = { upstreamtlshost: "", UPSTREAMIPADDRESS: "192.0.2.53", DisableTls: true };
  const after = await router.json<Settings>("PUT", "/dnsSettings", { body });
  assert.deepEqual([after.UpstreamIPAddress, after.TlsDisable], ["192.0.2.53", true]);
});

Deno.test("the TLS setting is returned under both names, and the one that changed wins", async () => {
  await using router = await testRouter();
  type Both = Settings & { readonly DisableTls: boolean };
  const put = (body: unknown) => router.json<Both>("PUT", "/dnsSettings", { body });
  const read = async () => {
    const { TlsDisable, DisableTls } = await router.json<Both>("GET", "/dnsSettings");
    return [TlsDisable, DisableTls];
  };
  await put(THREE);
  assert.deepEqual(await read(), [false, false]);
  // A client that knows one of the names sends the other back as it was read.
  for (const [name, TlsDisable] of [["DisableTls", true], ["TlsDisable", false]] as const) {
    const now = await router.json<Both>("GET", "/dnsSettings");
    const { UpstreamProviders } = await put({ ...now, ...THREE, ...now, [name]: TlsDisable });
    assert.deepEqual(await read(), [TlsDisable, TlsDisable], name);
    assert.equal(UpstreamProviders.length, 1);
  }
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/base/dns.json`));
  assert.deepEqual([file.TlsDisable, file.DisableTls], [false, undefined]);
  const open = { ...THREE, UpstreamTLSHost: "", TlsDisable: true, DisableTls: false };
  assert.equal(await status(router, "PUT", "/dnsSettings", { body: open }), 200);
  const named = { ...open, TlsDisable: true, DisableTls: false };
  assert.equal(await status(router, "PUT", "/dnsSettings", { body: named }), 400);
  assert.deepEqual(await read(), [true, true]);
});

Deno.test("PUT /dnsSettings accepts a list without the single fields, or with empty ones", async () => {
  await using router = await testRouter();
  const list = [
    { IPAddress: "9.9.9.9", TLSHost: "dns.quad9.net", DisableTls: false },
    { IPAddress: "192.0.2.53", TLSHost: "", DisableTls: true },
  ];
  const blank = { UpstreamTLSHost: "", UpstreamIPAddress: "", DisableTls: false };
  const kin = { UpstreamFamilyTLSHost: "", UpstreamFamilyIPAddress: "", DisableFamilyTls: false };
  for (const single of [{}, blank, { ...blank, ...kin, FamilyProviders: list }]) {
    const body = { ...single, UpstreamProviders: list };
    const { UpstreamIPAddress, UpstreamProviders } = await router.json<Settings>(
      "PUT",
      "/dnsSettings",
      { body },
    );
    assert.deepEqual([UpstreamIPAddress, UpstreamProviders], ["9.9.9.9", list]);
    const { items } = await router.json<{ items: { summary: string }[] }>(
      "GET",
      "/changes?limit=1",
    );
    assert.equal(items[0]!.summary, "Set the upstream DNS server to 9.9.9.9");
    await router.json("PUT", "/dnsSettings", { body: { ...THREE, UpstreamIPAddress: "9.9.9.10" } });
  }
  for (const body of [{ ...blank, UpstreamProviders: [] }, blank, { UpstreamProviders: [] }]) {
    assert.equal(await status(router, "PUT", "/dnsSettings", { body }), 400, JSON.stringify(body));
  }
});

Deno.test("DNS settings in an existing router's api.json are imported at the first start", async () => {
  const DNS = {
    UpstreamTLSHost: "",
    UpstreamIPAddress: "",
    UpstreamFamilyIPAddress: "",
    UpstreamFamilyTLSHost: "",
    DisableTls: false,
    DisableFamilyTls: false,
    UpstreamProviders: [
      { IPAddress: "9.9.9.9", TLSHost: "dns.quad9.net", DisableTls: false },
      { IPAddress: "nobody", TLSHost: "", DisableTls: true },
    ],
    FamilyProviders: null,
  };
  const api = { Plugins: [], DNS };
  await using router = await testRouter({ files: { "base/api.json": api } });
  const { UpstreamProviders } = await router.json<Settings>("GET", "/dnsSettings");
  assert.deepEqual(UpstreamProviders.map(({ IPAddress }) => IPAddress), ["9.9.9.9"]);
  await router.json("PUT", "/dnsSettings", { body: { ...THREE, UpstreamIPAddress: "192.0.2.9" } });
  const again = await router.reopen();
  const later = await again.json<Settings>("GET", "/dnsSettings");
  assert.equal(later.UpstreamIPAddress, "192.0.2.9");
  await again.close();
});

Deno.test("an existing router's query log privacy settings apply from the first start", async () => {
  const rules = {
    HostPrivacyIPList: ["192.168.2.6"],
    DomainIgnoreList: ["a.example.", "a b"],
    StoreLocalMemory: false,
  };
  await using router = await testRouter({ files: { "../state/dns/log_rules.json": rules } });
  assert.deepEqual(await router.json("GET", "/plugins/dns/log/settings"), {
    ...DEFAULT_LOG_CONFIG,
    ...rules,
    DomainIgnoreList: ["a.example."],
  });
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/dns/log_rules.json`));
  assert.deepEqual(file.DomainIgnoreList, ["a.example.", "a b"]);
});

Deno.test("local DNS records of an existing router are imported, names claimed by devices are not", async () => {
  const text = [
    "192.168.2.6 tablet.lan",
    "192.168.2.9\tnas.example.org  # a comment",
    "192.168.2.10 NAS.example.org",
    "192.168.2.11 router",
    "203.0.113.7 outside.example.org",
    "192.168.2.12 bad_name.example.org a.example.org",
    "nonsense",
    "",
  ].join("\n");
  const home = await Deno.makeTempDir({ prefix: "sluice-test-" });
  await Deno.mkdir(`${home}/state/dns`, { recursive: true });
  await Deno.writeTextFile(`${home}/state/dns/local_mappings`, text);
  await using router = await testRouter({ home });
  const { items } = await router.json<{ items: unknown }>("GET", "/dns/hostnames");
  assert.deepEqual(items, [
    { Hostname: "a.example.org", IPAddress: "192.168.2.12" },
    { Hostname: "nas.example.org", IPAddress: "192.168.2.9" },
  ]);
});

Deno.test("dns.json takes precedence over api.json, and an api.json without DNS settings is ignored", async () => {
  const DNS = { UpstreamTLSHost: "dns.quad9.net", UpstreamIPAddress: "9.9.9.9", DisableTls: false };
  const own = { ...THREE, UpstreamIPAddress: "192.0.2.7" };
  const first = async (files: Readonly<Record<string, unknown>>): Promise<string> => {
    await using router = await testRouter({ files });
    return (await router.json<Settings>("GET", "/dnsSettings")).UpstreamIPAddress;
  };
  assert.equal(await first({ "base/api.json": { DNS }, "base/dns.json": own }), "192.0.2.7");
  for (const api of [[], { DNS: null }, { DNS: { UpstreamIPAddress: "x" } }, { DNS: [] }, 7]) {
    assert.equal(await first({ "base/api.json": api }), "1.1.1.1", JSON.stringify(api));
  }
});

Deno.test("PUT /dnsSettings requires its three fields, and rejects invalid ones with a pointer", async () => {
  await using router = await testRouter();
  const refused = async (body: unknown) => {
    const answer = await router.ask("PUT", "/dnsSettings", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    const { errors } = await answer.json() as { errors: { pointer: string }[] };
    return errors.map(({ pointer }) => pointer);
  };
  assert.deepEqual(await refused({ ...THREE, UpstreamTLSHost: undefined }), ["/UpstreamTLSHost"]);
  assert.deepEqual(await refused({ ...THREE, UpstreamIPAddress: undefined }), [
    "/UpstreamIPAddress",
  ]);
  assert.deepEqual(await refused({ ...THREE, TlsDisable: undefined }), ["/TlsDisable"]);
  assert.deepEqual(await refused({ ...THREE, UpstreamIPAddress: "1.1.1.1; reboot" }), [
    "/UpstreamIPAddress",
  ]);
  const list = [{ IPAddress: "9.9.9.9", TLSHost: "dns.quad9.net", DisableTls: true }];
  assert.deepEqual(await refused({ ...THREE, UpstreamProviders: list }), [
    "/UpstreamProviders/0/TLSHost",
  ]);
  await refused([]);
  await refused("9.9.9.9");
  await refused({ ...THREE, UpstreamIPAddress: "192.168.2.1" });
});

Deno.test("PUT /dnsSettings can be previewed, and an outdated ETag is 412", async () => {
  await using router = await testRouter();
  const read = await router.ask("GET", "/dnsSettings");
  const etag = read.headers.get("etag")!;
  const before = await read.json();
  const preview = await router.json<{ config: { document: string }[] }>(
    "PUT",
    "/dnsSettings?dryRun=true",
    { body: THREE },
  );
  assert.ok(
    preview.config.length > 0 && preview.config.every(({ document }) => document === "dns"),
  );
  assert.deepEqual(await router.json("GET", "/dnsSettings"), before);
  const headers = { "if-match": etag };
  assert.equal(await status(router, "PUT", "/dnsSettings", { body: THREE, headers }), 200);
  const other = { ...THREE, UpstreamIPAddress: "149.112.112.112" };
  assert.equal(await status(router, "PUT", "/dnsSettings", { body: other, headers }), 412);
});

Deno.test("PUT /firewall/systemDnsOverride sets one upstream resolver for everything, and clears it", async () => {
  await using router = await testRouter();
  const path = "/firewall/systemDnsOverride";
  const shown = async () =>
    (await router.json<{ SystemDNSOverride: string }>("GET", "/firewall/config")).SystemDNSOverride;
  const answer = await router.ask("PUT", path, { body: "192.0.2.53" });
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, null]);
  assert.equal(await answer.text(), "");
  assert.equal(await shown(), "192.0.2.53");
  for (const body of ["127.0.0.1", "resolver", "192.168.2.1", {}, ["192.0.2.1"], 7, "224.0.0.1"]) {
    assert.equal(await status(router, "PUT", path, { body }), 400, JSON.stringify(body));
  }
  assert.equal(await shown(), "192.0.2.53");
  assert.equal(await status(router, "PUT", path, { body: "" }), 200);
  assert.equal(await shown(), "");
});

Deno.test("a local DNS record is created, read, changed and deleted under its preconditions", async () => {
  await using router = await testRouter();
  const path = "/dns/hostnames/Printer.lan.";
  const mapping = { Hostname: "printer.lan", IPAddress: "192.168.2.6" };
  assert.equal(await status(router, "GET", path), 404);
  const body = { IPAddress: "192.168.2.6", CreateOnly: true };
  assert.deepEqual(await router.json("PUT", path, { body }), mapping);
  assert.deepEqual(await router.json("GET", "/dns/hostnames/printer.lan"), mapping);
  assert.deepEqual(await router.json("GET", "/dns/hostnames"), { items: [mapping] });
  assert.equal(await status(router, "PUT", path, { body }), 409);
  const move = { IPAddress: "192.168.2.7", PreviousIPAddress: "192.168.2.9" };
  assert.equal(await status(router, "PUT", path, { body: move }), 409);
  assert.equal(
    await status(router, "PUT", path, { body: { ...move, PreviousIPAddress: "192.168.2.6" } }),
    200,
  );
  assert.equal(await status(router, "DELETE", path, { body: { IPAddress: "192.168.2.6" } }), 409);
  const gone = await router.ask("DELETE", path, { body: { IPAddress: "192.168.2.7" } });
  assert.deepEqual([gone.status, await gone.text()], [204, ""]);
  assert.equal(await status(router, "DELETE", path), 404);
});

Deno.test("DELETE of a local DNS record accepts no body, an empty one, and a preview", async () => {
  await using router = await testRouter();
  const names = async () =>
    (await router.json<{ items: unknown[] }>("GET", "/dns/hostnames")).items.length;
  for (const name of ["a.lan", "b.lan"]) {
    await router.json("PUT", `/dns/hostnames/${name}`, { body: { IPAddress: "192.168.2.6" } });
  }
  assert.equal(await status(router, "DELETE", "/dns/hostnames/a.lan?dryRun=true"), 200);
  assert.equal(await names(), 2);
  assert.equal(await status(router, "DELETE", "/dns/hostnames/a.lan"), 204);
  assert.equal(await status(router, "DELETE", "/dns/hostnames/b.lan", { body: {} }), 204);
  assert.equal(await names(), 0);
});

Deno.test("a local DNS record with an invalid name, a public address or a failed precondition is rejected", async () => {
  await using router = await testRouter();
  const put = (name: string, body: unknown) =>
    status(router, "PUT", `/dns/hostnames/${encodeURIComponent(name)}`, { body });
  const body = { IPAddress: "192.168.2.6" };
  for (const name of ["*.lan", "a_b.lan", "-a", "a b", "a..b", "x".repeat(64), "<b>"]) {
    assert.equal(await put(name, body), 400, name);
  }
  for (const IPAddress of ["9.9.9.9", "127.0.0.1", "fe80::1", "0.0.0.0", "", "printer", 7, null]) {
    assert.equal(await put("a.lan", { IPAddress }), 400, String(IPAddress));
  }
  assert.equal(await put("a.lan", { ...body, Comment: "no such field" }), 400);
  assert.equal(await put("a.lan", { ...body, CreateOnly: "yes" }), 400);
  assert.equal(
    await put("a.lan", { ...body, PreviousIPAddress: "192.168.2.6", CreateOnly: true }),
    400,
  );
  assert.equal(await put("Router.lan", body), 409);
  const large = { ...body, Comment: "x".repeat(9000) };
  assert.equal(await put("a.lan", large), 413);
  const raw = { "x-raw": "1", "content-type": "application/json" };
  const trailing = { body: '{"IPAddress":"192.168.2.6"} {}', headers: raw };
  assert.equal(await status(router, "PUT", "/dns/hostnames/a.lan", trailing), 400);
  assert.deepEqual(await router.json("GET", "/dns/hostnames"), { items: [] });
});

Deno.test("the router's host name cannot be a local DNS record, and its own names are listed as its own", async () => {
  await using router = await testRouter();
  const nas = { IPAddress: "192.168.2.50" };
  await router.json("PUT", "/dns/hostnames/nas", { body: nas });
  const call = (name: string) => router.ask("PUT", "/info/hostname?force=true", { body: name });
  for (const name of ["nas", "NAS"]) {
    const refused = await call(name);
    assert.equal(refused.status, 409, name);
    assert.match((await refused.json()).detail, /nas is a local DNS record of 192\.168\.2\.50/);
  }
  assert.equal(await status(router, "DELETE", "/dns/hostnames/nas"), 204);
  const taken = await call("nas");
  assert.equal(taken.status, 200, await taken.text());
  assert.equal(await status(router, "GET", "/dns/hostnames/nobody"), 404);
});

Deno.test("PUT /dnsSettings sets whether ISP resolvers are used; left out, they are not", async () => {
  await using router = await testRouter();
  type Whole = Settings & { readonly ProviderResolvers: string };
  const put = (body: unknown) => router.json<Whole>("PUT", "/dnsSettings", { body });
  const read = () => router.json<Whole>("GET", "/dnsSettings");
  assert.equal((await read()).ProviderResolvers, "never");
  for (const ProviderResolvers of ["fallback", "first"]) {
    assert.equal((await put({ ...THREE, ProviderResolvers })).ProviderResolvers, ProviderResolvers);
    const again = await read();
    assert.deepEqual(await put(again), again, "what was read may be sent back");
  }
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/base/dns.json`));
  assert.equal(file.ProviderResolvers, "first");
  const wrong = await router.ask("PUT", "/dnsSettings", {
    body: { ...THREE, ProviderResolvers: "sometimes" },
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual((await wrong.json()).errors, [{
    pointer: "/ProviderResolvers",
    message: "Write never, fallback or first",
    sentence: { id: "Write {choices}", values: { choices: "never, fallback or first" } },
  }]);
  assert.equal((await put(THREE)).ProviderResolvers, "never");
});
