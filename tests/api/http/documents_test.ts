import assert from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { externalOpenApi, internalOpenApi } from "../../../routes/openapi/described.ts";
import { HTTP_SOCKETS } from "../../../system/processes.ts";
import type { OpenApi } from "../../../routes/openapi/document.ts";
import { testRouter } from "../../kit/router.ts";

const VERSIONS = { api: "0.3.0", program: "0.0.0" };
const NAMES = [...HTTP_SOCKETS.keys()];

/** Every API document, by what it is called in a failure. */
function* documents(): Generator<readonly [name: string, document: OpenApi]> {
  yield ["external", externalOpenApi(VERSIONS)];
  for (const name of NAMES) yield [name, internalOpenApi(name, VERSIONS)];
}

Deno.test("every API document is valid OpenAPI 3.1", async () => {
  for (const [name, document] of documents()) {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    assert.ok(valid, `${name}: ${JSON.stringify(errors, null, 2)}`);
  }
});

Deno.test("a linter finds nothing in any API document", async () => {
  const configFor = (name: string) =>
    createConfig({
      extends: ["recommended"],
      rules: {
        // A path with a word comes before one with a parameter there, by OpenAPI and by our router.
        "no-ambiguous-paths": "off",
        // A router is called by whatever address it has.
        "no-server-example.com": "off",
        // A read of an internal socket asks for no credentials and has nothing to refuse.
        "operation-4xx-response": name === "external" ? "error" : "off",
        "operation-description": "error",
        "operation-operationId-unique": "error",
        "no-invalid-media-type-examples": "error",
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error",
        "tag-description": "error",
      },
    });
  for (const [name, document] of documents()) {
    const config = await configFor(name);
    const found = await lintFromString({ source: JSON.stringify(document), config });
    const problems = found.filter(({ ruleId, location }) =>
      // A WebSocket is answered by the 101 of its upgrade.
      ruleId !== "operation-2xx-response" || !/~1ws(_|\/)/.test(location[0]?.pointer ?? "")
    ).map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`);
    assert.deepEqual(problems, [], name);
  }
});

interface Example {
  readonly pointer: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** Every place of a document where a schema stands, with the example of it. */
function* schemasWithExamples(value: unknown, pointer = ""): Generator<Example> {
  if (value === null || typeof value !== "object") return;
  const parts = value as Readonly<Record<string, unknown>>;
  if (/\/(content\/[^/]+|parameters\/\w+)$/.test(pointer) && "schema" in parts) {
    yield { pointer, schema: parts["schema"], example: parts["example"] };
    return;
  }
  for (const [key, part] of Object.entries(parts)) {
    yield* schemasWithExamples(part, `${pointer}/${key.replaceAll("/", "~1")}`);
  }
}

Deno.test("every body, response and parameter has an example that matches its schema", () => {
  for (const [name, document] of documents()) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(JSON.parse(JSON.stringify(document)), "document");
    const wrong: string[] = [];
    const { paths, components } = document;
    for (const { pointer, schema, example } of schemasWithExamples({ paths, components })) {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const validate = ajv.compile(JSON.parse(text));
      const found = validate(example ?? null) && example !== undefined;
      if (!found) {
        wrong.push(`${pointer}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`);
      }
    }
    assert.deepEqual(wrong, [], name);
  }
});

Deno.test("no example is a placeholder", () => {
  const found: string[] = [];
  const collect = (value: unknown, pointer: string): void => {
    if (value === "example") found.push(pointer);
    if (value === null || typeof value !== "object") return;
    for (const [key, part] of Object.entries(value)) collect(part, `${pointer}/${key}`);
  };
  for (const [name, { paths, components }] of documents()) {
    for (const { pointer, example } of schemasWithExamples({ paths, components })) {
      collect(example, `${name} ${pointer}`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("no operation names 405, which every path answers to a method that it does not have", () => {
  for (const [name, { info, paths }] of documents()) {
    assert.match((info as { readonly description: string }).description, /405.*`Allow`/, name);
    for (const { responses } of Object.values(paths).flatMap((one) => Object.values(one))) {
      assert.ok(!("405" in responses), name);
    }
  }
});

Deno.test("every operation has a summary, and a description that says more than it", () => {
  for (const [name, { paths }] of documents()) {
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { summary, description }] of Object.entries(methods)) {
        const call = `${name}: ${method} ${path}`;
        assert.ok(summary.length > 3 && summary.length <= 72, call);
        const [first = ""] = description.split(/(?<=\.) /);
        assert.ok(first.length > 20 && first !== `${summary}.`, call);
      }
    }
  }
});

Deno.test("every pattern in the documents is a valid regular expression with and without the flag u", () => {
  const patterns = new Set<string>();
  const collect = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, part] of Object.entries(value)) {
      if (key === "pattern" && typeof part === "string") patterns.add(part);
      else collect(part);
    }
  };
  for (const [, document] of documents()) collect(document);
  assert.ok(patterns.size > 10);
  for (const pattern of patterns) {
    assert.doesNotThrow(() => [new RegExp(pattern), new RegExp(pattern, "u")], pattern);
    assert.doesNotMatch(pattern, /\\p\{/, "a class that only the flag u knows");
    assert.doesNotMatch(pattern, /\(\?[=!<]/, "a lookaround, which readers with RE2 do not know");
  }
});

Deno.test("documents of internal sockets need the same permission as the API document", async () => {
  await using router = await testRouter();
  for (const name of NAMES) {
    const document = await router.json<OpenApi>("GET", `/openapi/internal/${name}`);
    assert.equal(document.openapi, "3.1.0");
  }
  assert.equal((await router.ask("GET", "/openapi/internal/netd")).status, 400);
  assert.equal((await router.ask("GET", "/openapi/internal/dhcp", { as: null })).status, 401);
});
