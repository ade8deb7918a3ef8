import assert from "node:assert/strict";
import * as z from "zod";
import type { Config } from "../../../system/config.ts";
import type { Command } from "../../../system/core/engine/change.ts";
import { route } from "../../../routes/http/route.ts";

const common = {
  method: "PUT",
  path: "/",
  summary: "",
  description: "",
  tag: "API",
  access: "auth",
} as const;
const Counted = z.object({ count: z.int() });
const command: Command<Config, number> = { kind: "", summary: "", reduce: (config) => [config, 1] };

// The compiler is the test: each line below an expectation must be an error.
Deno.test("a handler whose response does not match its schema is a type error", () => {
  const described = { ...common, response: Counted };
  const routes = [
    route(described, () => ({ count: 1 })),
    route(described, async () => await Promise.resolve({ count: 1 })),
    route({ ...common, response: z.array(Counted) }, () => [{ count: 1 }] as const),
    route(described, () => new Response()),
    route(described, (call) => call.decide(command, (count) => ({ count }))),
    route(common, (call) => call.decide(command)),
    // @ts-expect-error a field of another kind
    route(described, () => ({ count: "1" })),
    // @ts-expect-error nothing where there is a schema
    route(described, () => {}),
    // @ts-expect-error a value where there is none
    route(common, () => ({ count: 1 })),
    // @ts-expect-error a value where the answer is no JSON
    route({ ...common, mediaType: "text/plain" }, () => "text"),
    // @ts-expect-error a decision that is not turned into an answer
    route(described, (call) => call.decide(command)),
    // @ts-expect-error a decision that is turned into another one
    route(described, (call) => call.decide(command, () => ({ count: "1" }))),
  ];
  assert.equal(routes.length, 12);
});
