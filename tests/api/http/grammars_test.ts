import assert from "node:assert/strict";
import { externalOpenApi, internalOpenApi } from "../../../routes/openapi/described.ts";
import { HTTP_SOCKETS } from "../../../system/processes.ts";
import type { OpenApi } from "../../../routes/openapi/document.ts";

const VERSIONS = { api: "0.3.0", program: "0.0.0" };

interface Schema {
  readonly [word: string]: unknown;
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Every schema of what is sent, with where it stands: fields by the component that has them. */
function* sent({ paths, components }: OpenApi): Generator<readonly [pointer: string, Schema]> {
  const seen = new Set<string>();
  function* walk(schema: Schema, pointer: string): Generator<readonly [string, Schema]> {
    const name = schema.$ref?.split("/").at(-1);
    if (name !== undefined) {
      if (seen.has(name)) return;
      seen.add(name);
      return yield* walk(components.schemas[name] as Schema, name.replace(/Input$/, ""));
    }
    yield [pointer, schema];
    for (const [field, part] of Object.entries(schema.properties ?? {})) {
      yield* walk(part, `${pointer}.${field}`);
    }
    for (const word of ["items", "additionalProperties", "propertyNames"]) {
      const part = schema[word];
      if (part !== null && typeof part === "object") yield* walk(part as Schema, pointer);
    }
    for (const word of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
      for (const part of schema[word] as readonly Schema[] ?? []) yield* walk(part, pointer);
    }
  }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters, requestBody }] of Object.entries(methods)) {
      const call = `${method.toUpperCase()} ${path}`;
      for (const parameter of parameters) {
        if (!("$ref" in parameter)) yield* walk(parameter.schema, `${call} ${parameter.name}`);
      }
      const body = requestBody?.content["application/json"]?.schema;
      if (body !== undefined) yield* walk(body, call);
    }
  }
}

/** Texts that are taken as they are, whatever they say: names that are looked up, and switches. */
const ANY_TEXT = [
  "BlockListName.URI",
  "CustomRuleName.Policies",
  "DELETE /auth/sessions/{id} id",
  "GET /events Last-Event-ID",
  "GET /explain name",
  "LinkUpdate.Subtype",
  "OverrideListRef.Name",
  "PUT /plugins/dns/block/disableBypassCheck value",
  "PUT /plugins/dns/block/disableRebinding value",
  "PUT /refresh uri",
];

const LIMITS = ["pattern", "enum", "const", "maxLength", "anyOf", "contentEncoding"];

function* documents(): Generator<OpenApi> {
  yield externalOpenApi(VERSIONS);
  for (const name of HTTP_SOCKETS.keys()) yield internalOpenApi(name, VERSIONS);
}

Deno.test("every text that the API takes has a grammar or a longest length in the document", () => {
  const found = new Set<string>();
  for (const document of documents()) {
    for (const [pointer, schema] of sent(document)) {
      if (schema.type === "string" && !LIMITS.some((word) => word in schema)) found.add(pointer);
    }
  }
  assert.deepEqual([...found].sort(), ANY_TEXT);
});

/** A text that each grammar takes and one that it refuses, by a field that has it. */
const GRAMMARS: Readonly<Record<string, readonly [good: string, bad: string]>> = {
  "DeviceUpdate.MAC": ["02:00:00:00:0A:01", "02:00:00:00:0a"],
  "DeviceUpdate.WGPubKey": ["YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=", "YWJj"],
  "DeviceUpdate.RecentIP": ["192.168.2.6", "192.168.2.256"],
  "DeviceUpdate.DNSCustom": ["2001:db8::1", "dns.example"],
  "DeviceUpdate.PSKEntry.Psk": ["correct horse battery", "short"],
  "DeviceUpdate.PSKEntry.Type": ["sae", "wep"],
  "DeviceUpdate.Policies": ["wan", "lan_everything"],
  "DeviceUpdate.VLANTag": ["4094", "first"],
  "SubnetConfig.TinyNets": ["192.168.2.0/24", "192.168.2.0"],
  "SubnetConfig.LeaseTime": ["24h0m0s", "1 day"],
  "ForwardingRule.SrcPort": ["1000-2000", "1000;2000"],
  "ForwardingRule.DstIP": ["192.168.2.10", "printer.lan"],
  "ServicePort.Port": ["443", "0x1bb"],
  "LinkUpdate.Name": ["eth0.7", "eth0/7"],
  "UplinkUpdate.IP": ["203.0.113.2/24", "203.0.113"],
  "MulticastAddress.Address": ["224.0.0.251:5353", "224.0.0.251"],
  "BlockList.URI": ["https://lists.example/ads", "ftp://lists.example/ads"],
  "TokenRequest.ScopedPaths": ["/devices:r", "devices"],
  "ReachTest.Port": ["443", "any"],
  "PppUpdate.VLAN": ["7", "seven"],
};

Deno.test("the grammars of the API stand in its document, whatever a schema does with a text", () => {
  const schemas = new Map<string, Schema[]>();
  for (const [pointer, schema] of sent(externalOpenApi(VERSIONS))) {
    if (schema.type === "string" || "const" in schema) {
      schemas.set(pointer, [...schemas.get(pointer) ?? [], schema]);
    }
  }
  const isTaken = (schema: Schema, text: string): boolean =>
    "anyOf" in schema
      ? false
      : "const" in schema
      ? schema["const"] === text
      : Array.isArray(schema["enum"])
      ? schema["enum"].includes(text)
      : typeof schema["pattern"] === "string" && new RegExp(schema["pattern"]).test(text);
  for (const [field, [good, bad]] of Object.entries(GRAMMARS)) {
    const options = schemas.get(field) ?? [];
    assert.ok(options.some((schema) => isTaken(schema, good)), `${field} takes ${good}`);
    assert.ok(!options.some((schema) => isTaken(schema, bad)), `${field} refuses ${bad}`);
  }
});
