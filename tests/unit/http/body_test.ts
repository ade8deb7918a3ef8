import assert from "node:assert/strict";
import { Hono } from "hono";
import * as z from "zod";
import { BodiesInFlight, bodyLimit } from "../../../routes/http/body.ts";
import { mount } from "../../../routes/http/mount.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { route, type RouteDescription } from "../../../routes/http/route.ts";
import { socketApp } from "../../../routes/http/socket_app.ts";
import { validate } from "../../../routes/http/validation.ts";

const Shape = z.object({
  MAC: z.string().optional(),
  Policies: z.array(z.string()).optional(),
  PSKEntry: z.object({ Type: z.string(), Psk: z.string().min(8).optional() }).optional(),
  Either: z.union([z.literal("short"), z.object({ Inner: z.int() })]).optional(),
});

Deno.test("field names are case-insensitive at every depth", () => {
  assert.deepEqual(
    validate(Shape, { mac: "a", pskentry: { TYPE: "sae", psk: "12345678" }, either: { INNER: 1 } }),
    {
      MAC: "a",
      PSKEntry: { Type: "sae", Psk: "12345678" },
      Either: { Inner: 1 },
    },
  );
});

Deno.test("the exact spelling takes precedence over other cases", () => {
  assert.deepEqual(validate(Shape, { mac: "no", MAC: "yes", Mac: "no" }), { MAC: "yes" });
});

Deno.test("null counts as missing, and unknown fields are ignored", () => {
  assert.deepEqual(validate(Shape, { MAC: null, Nonsense: { deep: true } }), {});
});

Deno.test("a strict schema names the unknown field", () => {
  assert.throws(
    () => validate(z.strictObject({ A: z.string() }), { A: "", B: 1 }),
    (error: Problem) => {
      assert.deepEqual(error.errors, [{ pointer: "/B", message: "There is no such field" }]);
      return true;
    },
  );
});

Deno.test("each issue has its JSON pointer", () => {
  assert.throws(
    () => validate(Shape, { Policies: ["a", 7], PSKEntry: { Type: 3, Psk: "x" } }),
    (error: Problem) => {
      assert.equal(error.status, 400);
      assert.deepEqual(error.errors.map((item) => item.pointer), [
        "/Policies/1",
        "/PSKEntry/Type",
        "/PSKEntry/Psk",
      ]);
      return true;
    },
  );
});

Deno.test("keys of a map keep their case, and an invalid key is refused", () => {
  const Map = z.record(z.string(), Shape);
  assert.deepEqual(validate(Map, { "AA:bb": { mac: "x" } }), { "AA:bb": { MAC: "x" } });
  assert.throws(() => validate(Map, JSON.parse('{"__proto__": {}}')), Problem);
});

/** Posts a body to a route with a shape. */
async function post(
  body: BodyInit | null,
  options: Partial<Pick<RouteDescription, "bodyOptional" | "maxBody">> = {},
): Promise<{ status: number; json: unknown }> {
  const description = {
    method: "POST",
    path: "/",
    tag: "API",
    access: "auth",
    body: Shape,
  } as const;
  const echo = route(
    { ...description, summary: "", description: "", response: z.unknown(), ...options },
    ({ body }) => body ?? "none",
  );
  const app = socketApp([echo], { by: "test", log: (error) => assert.fail(String(error)) });
  const answer = await app.request(new Request("http://127.0.0.1/", { method: "POST", body }));
  return { status: answer.status, json: await answer.json() };
}

Deno.test("a body that is too large is refused, announced or not", async () => {
  const text = JSON.stringify({ MAC: "x".repeat(2000) });
  assert.equal((await post(text, { maxBody: 1000 })).status, 413);
  assert.equal((await post(new Blob([text]).stream(), { maxBody: 1000 })).status, 413);
});

Deno.test("a missing body, invalid JSON, trailing text and invalid UTF-8 are 400", async () => {
  for (const body of [null, "", "  ", "{", "{} {}", new Uint8Array([0x7b, 0xff, 0x7d])]) {
    assert.equal((await post(body)).status, 400);
  }
});

Deno.test("a body is read whatever its content type", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
    assert.deepEqual(await post(new Blob(['{"mac":"a"}'], { type })), {
      status: 200,
      json: { MAC: "a" },
    });
  }
});

Deno.test("deep nesting is refused, in unknown fields too", async () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  assert.equal((await post(deep)).status, 400);
  assert.equal((await post(`{"Nonsense":${deep}}`)).status, 400);
});

Deno.test("an optional body may be missing, empty or null", async () => {
  for (const body of [null, "", "null"]) {
    assert.deepEqual(await post(body, { bodyOptional: true }), { status: 200, json: "none" });
  }
});

Deno.test("a missing value or one of another type has a readable message", () => {
  const faults = (raw: unknown) => {
    const schema = z.object({
      Name: z.string(),
      Port: z.int(),
      Share: z.number(),
      On: z.boolean(),
      List: z.array(z.string()),
      Inner: z.record(z.string(), z.int()),
      Own: z.string({ error: "Write a name" }),
    });
    try {
      validate(schema, raw);
    } catch (error) {
      return (error as Problem).errors.map(({ message }) => message);
    }
    return [];
  };
  const kinds = ["a text", "a number", "a number", "true or false", "a list", "an object"];
  assert.deepEqual(faults({}), [
    ...kinds.map((kind) => `This is needed: ${kind}`),
    "Write a name",
  ]);
  const wrong = { Name: 1, Port: "1", Share: "1", On: "yes", List: {}, Inner: [], Own: 1 };
  assert.deepEqual(faults(wrong), [...kinds.map((kind) => `Write ${kind}`), "Write a name"]);
  assert.equal(faults({ ...wrong, Port: 1.5 })[1], "Write a whole number");
});

Deno.test("a public route takes a small body, and all bodies in flight have a limit together", async () => {
  const gate = Promise.withResolvers<void>();
  const app = new Hono();
  app.use(bodyLimit({ public: new BodiesInFlight(40_000), signedIn: new BodiesInFlight(1 << 20) }));
  const echo = (path: string, access: "public" | "auth") =>
    route({
      method: "PUT",
      path,
      summary: "Echo",
      description: "Returns the length of a text.",
      tag: "Access",
      access,
      body: z.string(),
      response: z.number(),
    }, async ({ body }) => {
      await gate.promise;
      return body.length;
    });
  mount(app, [echo("/open", "public"), echo("/closed", "auth")], {
    authorize: () => ({ by: "test", from: null, connection: null }),
    log: () => {},
  });
  const send = async (path: string, length: number) => {
    const body = JSON.stringify("x".repeat(length));
    return (await app.request(path, { method: "PUT", body })).status;
  };
  assert.equal(await send("/open", 17_000), 413);
  const held = [send("/open", 15_000), send("/open", 15_000)];
  assert.equal(await send("/open", 15_000), 503);
  held.push(send("/closed", 900_000));
  gate.resolve();
  assert.deepEqual(await Promise.all(held), [200, 200, 200]);
  assert.equal(await send("/open", 15_000), 200);
});
