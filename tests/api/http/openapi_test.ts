import assert from "node:assert/strict";
import { controlClient } from "../../../system/core/process/control.ts";
import { sockets } from "../../../system/processes.ts";
import { otpOf } from "../../kit/otp.ts";
import { answered, inFolder, type Program, startProgram } from "../../kit/process.ts";
import { describedAnswers } from "../../kit/described_answers.ts";
import { basic, testRouter } from "../../kit/router.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface ApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, {
          readonly responses: Readonly<
            Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>
          >;
        }>
      >
    >
  >;
}

/** Fields of answers that may be of any kind. */
const ANYTHING = new Set([
  "BatchAnswer body",
  "BucketItem Value",
  "PatchEntry before",
  "PatchEntry after",
  "LintFinding fix body",
  "ReachSuggestion body",
]);

/** Fields of which nothing is said, by their names from the outside to the inside. */
function* unsaid(schema: Schema, path: string): Generator<string> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const keywords = Object.keys(field).filter((word) =>
      word !== "default" && word !== "description"
    );
    if (keywords.length === 0) yield `${path} ${name}`;
    yield* unsaid(field, `${path} ${name}`);
  }
  const inside = [schema.items, ...schema.prefixItems ?? [], ...schema.anyOf ?? []];
  for (const one of inside) if (one !== undefined) yield* unsaid(one, path);
}

Deno.test("the API document gives every response field a type", async () => {
  await using router = await testRouter();
  const { paths, components } = await router.json<ApiDocument>("GET", "/openapi.json");
  const found = new Set<string>();
  for (const [name, schema] of Object.entries(components.schemas)) {
    for (const field of unsaid(schema, name)) found.add(field);
  }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const schema = responses["200"]?.content?.["application/json"]?.schema;
      if (schema === undefined) continue;
      for (const field of unsaid(schema, `${method.toUpperCase()} ${path}`)) found.add(field);
    }
  }
  assert.deepEqual([...found].filter((field) => !ANYTHING.has(field)), []);
});

Deno.test("the API document names the media type of every non-JSON response", async () => {
  await using router = await testRouter();
  const { paths } = await router.json<ApiDocument>("GET", "/openapi.json");
  await router.json("PUT", "/firewall/enableTLS");
  const backup = await router.json<string>("PUT", "/backup");
  const calls: readonly (readonly [method: string, path: string, url: string])[] = [
    ["GET", "/backup/{name}", `/backup/${backup}`],
    ["GET", "/support", "/support"],
    ["GET", "/cert", "/cert"],
    ["GET", "/cert/authorized", "/cert/authorized"],
    ["GET", "/speedtest/{range}", "/speedtest/0-10"],
    ["PUT", "/speedtest/{range}", "/speedtest/0-10"],
    ["GET", "/events", "/events"],
    ["GET", "/metrics", "/metrics"],
    ["GET", "/mesh/cert", "/mesh/cert"],
    ["GET", "/plugins/mesh/cert", "/plugins/mesh/cert"],
  ];
  const otp = await otpOf(router);
  await router.json("PUT", "/plugins/mesh/leafToken", { headers: otp });
  for (const [method, path, url] of calls) {
    const answer = await router.ask(method, url, { headers: otp });
    assert.equal(answer.status, 200, path);
    const [type] = answer.headers.get("content-type")!.split(";");
    const content = paths[path]?.[method.toLowerCase()]?.responses["200"]?.content ?? {};
    assert.deepEqual(Object.keys(content), [type], `${method} ${path}`);
    await answer.body?.cancel();
  }
  const others = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses["200"]?.content ?? {}).some((type) => type !== "application/json")
        ? [`${method.toUpperCase()} ${path}`]
        : []
    )
  );
  assert.deepEqual(others.sort(), calls.map(([method, path]) => `${method} ${path}`).sort());
});

const BLOCK = "/plugins/dns/block", LOG = "/plugins/dns/log";
const NAMED = { Type: "block", Domain: "ads.example.", ClientIP: "192.168.2.6" };
const OTHER = { ...NAMED, Domain: "other.example." };
/** A list that is switched off, so that nobody asks for it. */
const LIST = "https://lists.example/ads";

/** Every call of the routes of DNS, with what it sends; a path in the form of the API document. */
const CALLS:
  readonly (readonly [method: string, path: string, url?: string | undefined, body?: unknown])[] = [
    ["PUT", "/dnsSettings", undefined, {
      UpstreamTLSHost: "",
      UpstreamIPAddress: "192.0.2.53",
      TlsDisable: true,
    }],
    ["GET", "/dnsSettings"],
    ["PUT", "/firewall/systemDnsOverride", undefined, "192.0.2.54"],
    ["PUT", "/dns/hostnames/{hostname}", "/dns/hostnames/files.lan", { IPAddress: "192.168.2.9" }],
    ["GET", "/dns/hostnames/{hostname}", "/dns/hostnames/files.lan"],
    ["GET", "/dns/hostnames"],
    ["DELETE", "/dns/hostnames/{hostname}", "/dns/hostnames/files.lan"],
    ["GET", "/dns/status"],
    ["PUT", "/dns/flush"],
    ["PUT", `${BLOCK}/blocklists`, undefined, { URI: LIST, Enabled: false, Tags: ["kids"] }],
    ["PUT", `${BLOCK}/blocklist`, undefined, { URI: LIST, Enabled: false }],
    ["GET", `${BLOCK}/blocklists`],
    ["GET", `${BLOCK}/blocklist`],
    ["PUT", `${BLOCK}/upload/{name}`, `${BLOCK}/upload/mine`, { Text: "ads.example\n" }],
    ["GET", `${BLOCK}/lists`],
    ["PUT", `${BLOCK}/refresh`],
    ["PUT", `${BLOCK}/override/{list}`, `${BLOCK}/override/Default`, NAMED],
    ["PUT", `${BLOCK}/override`, undefined, { ...OTHER, ResultIP: "192.168.2.9", Expiration: 300 }],
    ["PUT", `${BLOCK}/overrideList/{list}`, `${BLOCK}/overrideList/Kids`, {
      Name: "Kids",
      Tags: ["kids"],
      PermitDomains: [{ ...NAMED, Type: "permit" }],
    }],
    ["PUT", `${BLOCK}/overrideList/{list}/name`, `${BLOCK}/overrideList/Kids/name`, {
      Name: "Children",
    }],
    ["PUT", `${BLOCK}/setRefresh`, `${BLOCK}/setRefresh?seconds=86400`],
    ["PUT", `${BLOCK}/disableRebinding`, `${BLOCK}/disableRebinding?value=true`],
    ["PUT", `${BLOCK}/disableBypassCheck`, `${BLOCK}/disableBypassCheck?value=true`],
    ["PUT", `${BLOCK}/quarantineHost`, undefined, "192.168.2.9"],
    ["PUT", `${BLOCK}/exclusions`, undefined, "192.168.2.6"],
    ["GET", `${BLOCK}/exclusions`],
    ["GET", `${BLOCK}/config`],
    ["GET", `${BLOCK}/metrics`],
    ["GET", `${BLOCK}/dump_domains`],
    ["GET", `${BLOCK}/explain`, `${BLOCK}/explain?name=x.ads.example&client=192.168.2.6`],
    ["DELETE", `${BLOCK}/exclusions`, undefined, "192.168.2.6"],
    ["DELETE", `${BLOCK}/quarantineHost`],
    ["DELETE", `${BLOCK}/overrideList/{list}`, `${BLOCK}/overrideList/Children`],
    ["DELETE", `${BLOCK}/override/{list}`, `${BLOCK}/override/Default`, NAMED],
    ["DELETE", `${BLOCK}/override`, undefined, OTHER],
    ["DELETE", `${BLOCK}/blocklists`, undefined, { URI: LIST }],
    ["DELETE", `${BLOCK}/blocklist`, undefined, { URI: "upload:mine" }],
    ["PUT", `${LOG}/config`, undefined, [
      { HostPrivacyIPList: ["192.168.2.9"] },
      { DomainIgnoreList: [] },
    ]],
    ["GET", `${LOG}/config`],
    ["PUT", `${LOG}/settings`, undefined, { RetentionDays: 3 }],
    ["GET", `${LOG}/settings`],
    ["PUT", `${LOG}/host_privacy_list`, undefined, ["192.168.2.10"]],
    ["GET", `${LOG}/host_privacy_list`],
    ["PUT", `${LOG}/domain_ignore/{domain}`, `${LOG}/domain_ignore/a.example.`, {}],
    ["GET", `${LOG}/domain_ignores`],
    ["DELETE", `${LOG}/domain_ignore/{domain}`, `${LOG}/domain_ignore/a.example.`],
    ["GET", `${LOG}/history/{ip}`, `${LOG}/history/192.168.2.6`],
    ["GET", `${LOG}/entries`],
    ["GET", `${LOG}/status`],
    ["DELETE", `${LOG}/history/{ip}`, `${LOG}/history/192.168.2.6`],
    ["DELETE", `${LOG}/entries`],
  ];

/** Asks a program over the wire, and again while a resolver that has just started is not there yet. */
async function request(program: Program, method: string, url: string, body: unknown) {
  for (let tries = 0;; tries++) {
    const answer = await fetch(`${program.url}${url}`, {
      method,
      headers: { authorization: basic("admin", "correct horse battery") },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 503 || tries === 100) return { answer, text };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

Deno.test("every DNS route responds as the API document says, with a real resolver", async () => {
  await inFolder(async (home) => {
    await using program = startProgram({ home });
    await answered(program);
    await controlClient(sockets(home).launcher).start("dnsd");
    const { text } = await request(program, "GET", "/openapi.json", undefined);
    const { paths } = JSON.parse(text) as ApiDocument;
    const check = describedAnswers(() => JSON.parse(text));
    const left = new Set(
      Object.entries(paths)
        .filter(([path]) => /^\/(dns|plugins\/dns|firewall\/systemDns)/.test(path))
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`)),
    );
    for (const [method, path, url = path, body] of CALLS) {
      const word = `${method} ${url}`;
      const { answer, text } = await request(program, method, url, body);
      const described = paths[path]![method.toLowerCase()]!.responses[answer.status];
      assert.ok(answer.ok && described !== undefined, `${word}: ${answer.status} ${text}`);
      const schema = described.content?.["application/json"]?.schema;
      const json = schema !== undefined && schema.$ref !== "#/components/schemas/Preview";
      assert.equal(answer.headers.get("content-type"), json ? "application/json" : null, word);
      await check(method, url, new Response(text === "" ? null : text, answer));
      if (!json) {
        assert.equal(text, "", word);
        if (answer.status === 200) assert.equal(answer.headers.get("content-length"), "0", word);
      }
      left.delete(`${method.toLowerCase()} ${path}`);
    }
    // It fetches from outside, and refuses addresses of this network.
    left.delete(`put ${BLOCK}/try`);
    assert.deepEqual([...left], [], "routes that nobody called");
  });
});
