import assert from "node:assert/strict";
import * as z from "zod";
import type { Route } from "../../../routes/http/route.ts";
import { testRouter } from "../../kit/router.ts";

/** Bodies that no route takes, as they come over the wire. */
const NEVER = [
  "",
  "nonsense",
  "{",
  '{"a":1}{"b":2}',
  "1",
  "true",
  '{"__proto__": {"Name": "x"}}',
  "[".repeat(100_000) + "]".repeat(100_000),
  '{"a":'.repeat(50_000) + "1" + "}".repeat(50_000),
  "\ufffe",
];

/** Values of the wrong type, or of the right one and beyond measure, for a field. */
const ODD: readonly unknown[] = [
  {},
  [],
  [[]],
  [{}],
  [null],
  "",
  "\u0000",
  "\ud800",
  "'; flush ruleset; \"",
  "x".repeat(10_000),
  -1,
  0,
  0.5,
  2 ** 53,
  true,
  Array.from({ length: 20_000 }, (_, index) => `n${index}`),
];

/** The routes below it take any JSON: an item of a bucket is whatever its program writes. */
const ANY_JSON = "/plugins/db/bucket/";

function fields(route: Route): readonly string[] {
  const schema = z.toJSONSchema(route.description.body!, { io: "input", unrepresentable: "any" });
  return Object.keys(schema.properties ?? {});
}

Deno.test("no request body causes an internal error or a partial change", async (t) => {
  const lines: string[] = [];
  await using router = await testRouter({
    log: {
      debug() {},
      info() {},
      warn() {},
      error: (_, message) => void lines.push(message),
    },
  });
  const { Token } = await router.access.tokens.create({ Name: "t", Expire: 0, ScopedPaths: [] });
  const writes = router.routes.filter(({ description }) =>
    description.body !== undefined &&
    (description.access === "auth" || description.access === "public")
  );
  assert.ok(writes.length > 10);
  for (const route of writes) {
    const { method, path, bodyOptional } = route.description;
    await t.step(`${method} ${path}`, async () => {
      const url = path.replace("{identity}", "02:00:00:00:0a:01") +
        (path === "/device" ? "?identity=02:00:00:00:0a:01" : "");
      const send = async (body: string): Promise<number> => {
        const before = router.engine.config;
        const answer = await router.ask(method, url, {
          as: `Bearer ${Token}`,
          body,
          headers: { "x-raw": "1" },
        });
        const text = await answer.text();
        const what = `${body.slice(0, 100)} → ${answer.status} ${text.slice(0, 200)}`;
        assert.ok(answer.status < 500, what);
        if (answer.status >= 400) assert.equal(router.engine.config, before, what);
        return answer.status;
      };
      for (const body of NEVER) {
        const status = await send(body);
        if (
          !bodyOptional && !path.startsWith(ANY_JSON) &&
          !(body.startsWith('{"a":{') || body.startsWith("[["))
        ) {
          assert.ok(status >= 400, `${body.slice(0, 40)} was taken`);
        }
      }
      for (const field of fields(route)) {
        for (const value of ODD) await send(JSON.stringify({ [field]: value }));
      }
    });
  }
  assert.deepEqual(lines, []);
});

Deno.test("a body of nothing but faults gets a short answer, and is not read to its end", async () => {
  await using router = await testRouter();
  const send = async (body: unknown) => {
    const answer = await router.ask("PUT", "/groups", { body });
    const text = await answer.text();
    assert.equal(answer.status, 400, text.slice(0, 200));
    assert.ok(text.length < 20_000, `${text.length} bytes`);
    return JSON.parse(text);
  };
  const many = await send({ Name: "g", GroupTags: Array.from({ length: 5001 }, () => 1) });
  assert.match(many.detail, /at most \d+ items/);
  assert.equal(many.errors[0].pointer, "/GroupTags");
  const fields = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`f${n}`, 1]));
  assert.match((await send(fields)).detail, /at most 5000 fields/);
  const some = await send({ Name: "g", GroupTags: Array.from({ length: 100 }, () => 1) });
  assert.ok(some.errors.length <= 20);
  const deep = await router.ask("PUT", "/groups", {
    body: `{"Name":"g","GroupTags":${"[".repeat(100)}${"]".repeat(100)}}`,
    headers: { "x-raw": "1" },
  });
  assert.match(await deep.text(), /at most 64 deep/);
  const text = await router.ask("PUT", "/groups", {
    body: JSON.stringify({ Name: "[".repeat(200) + '"\\' }),
    headers: { "x-raw": "1" },
  });
  assert.doesNotMatch(await text.text(), /at most 64 deep/, "brackets in a text are no nesting");
});

/** No larger body is sent, in characters. */
const LARGEST = 1 << 19;

/**
 * A body that a route takes as far as its lists and maps go, all of whose innermost values are `wrong`,
 * as JSON. Null where it is larger than {@link LARGEST}: lists inside lists would be millions of values,
 * so that making one stops there.
 */
function crowded(route: Route, wrong: unknown, count: number): string | null {
  type Shape = z.core.JSONSchema.BaseSchema;
  const least = JSON.stringify(wrong).length + 1;
  let size = 0;
  const innermost = (): unknown => {
    size += least;
    return wrong;
  };
  const root = z.toJSONSchema(route.description.body!, {
    io: "input",
    unrepresentable: "any",
  }) as Shape;
  const made = (given: Shape | boolean | undefined, depth: number): unknown => {
    if (size > LARGEST) return wrong;
    const named = typeof given === "object" ? given : {};
    const shape = named.$ref === undefined
      ? named
      : root.$defs?.[named.$ref.replace("#/$defs/", "")] as Shape ?? root;
    const [branch] = [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? [])] as Shape[];
    const list = [branch, ...(shape.anyOf ?? []) as Shape[]].find((one) => one?.type === "array");
    if (depth > 6) return innermost();
    if (list !== undefined) {
      const length = Math.min(count, list.maxItems ?? count);
      return Array.from({ length }, () => made(list.items as Shape, depth + 1));
    }
    if (shape.properties !== undefined) {
      return Object.fromEntries(
        Object.entries(shape.properties).map((
          [key, item],
        ) => [key, made(item as Shape, depth + 1)]),
      );
    }
    if (typeof shape.additionalProperties !== "object") return innermost();
    const before = size;
    const item = made(shape.additionalProperties as Shape, depth + 1);
    size = before + (size - before) * count;
    if (size > LARGEST) return wrong;
    return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, item]));
  };
  const body = made(root, 0);
  if (size > LARGEST) return null;
  const text = JSON.stringify(body);
  return text.length <= LARGEST ? text : null;
}

Deno.test("a body of nothing but faults is answered in few lines by every route", async () => {
  await using router = await testRouter();
  const { Token } = await router.access.tokens.create({ Name: "t", Expire: 0, ScopedPaths: [] });
  let large = 0;
  for (const { description, ...route } of router.routes) {
    const { method, path, body, access } = description;
    if (body === undefined || (access !== "auth" && access !== "public")) continue;
    for (const wrong of ["x", {}]) {
      const text = [4000, 300, 60, 15]
        .values()
        .map((count) => crowded({ description, ...route }, wrong, count))
        .find((text) => text !== null);
      if (text === undefined || text === null) continue;
      if (text.length > 4000) large++;
      const answer = await router.ask(method, path.replace("{identity}", "02:00:00:00:0a:01"), {
        as: `Bearer ${Token}`,
        body: text,
        headers: { "x-raw": "1" },
      });
      const said = await answer.text();
      assert.ok(answer.status < 500, `${method} ${path} ${said.slice(0, 200)}`);
      assert.ok(said.length < 20_000, `${method} ${path} answers ${said.length} bytes`);
      const { errors = [] } = answer.status < 400 ? {} : JSON.parse(said);
      assert.ok(errors.length <= 20, `${method} ${path} lists ${errors.length} faults`);
    }
  }
  assert.ok(large > 20, `${large} large bodies were sent`);
});

Deno.test("a protocol is accepted in any case and stored in lower case", async () => {
  await using router = await testRouter();
  const put = async (path: string, body: unknown) => {
    const answer = await router.ask("PUT", path, { body });
    assert.equal(answer.status, 200, `${path} ${await answer.text()}`);
  };
  const rule = { Protocol: "TCP", SrcIP: "0.0.0.0/0", DstIP: "192.168.2.6", DstPort: "80" };
  await put("/firewall/forward", { ...rule, SrcPort: "8080" });
  await put("/firewall/block", { Protocol: "Udp", SrcIP: "0.0.0.0/0", DstIP: "192.168.2.6" });
  await put("/firewall/service_port", { Protocol: "TCP", Port: "8443", UpstreamEnabled: false });
  const { firewall } = router.engine.config;
  assert.equal(firewall.ForwardingRules[0]?.Protocol, "tcp");
  assert.equal(firewall.BlockRules[0]?.Protocol, "udp");
  assert.equal(firewall.ServicePorts.at(-1)?.Protocol, "tcp");
  const gone = await router.ask("DELETE", "/firewall/service_port", {
    body: { Protocol: "TCP", Port: "8443" },
  });
  assert.equal(gone.status, 200, await gone.text());
  const reach = "/reach?from=router&to=internet&protocol=TCP&port=80";
  assert.equal((await router.ask("GET", reach)).status, 200);
  const wrong = await router.ask("PUT", "/firewall/forward", {
    body: { ...rule, SrcPort: "8080", Protocol: "SCTP" },
  });
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /Write tcp or udp/);
});
