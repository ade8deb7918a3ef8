import assert from "node:assert/strict";
import * as z from "zod";
import "../../../system/core/errors/issue_text.ts";

const text = (schema: z.ZodType, value: unknown): readonly string[] =>
  schema.safeParse(value).error!.issues.map(({ message }) => message);

Deno.test("a schema without sentences of its own says in words what would be right", () => {
  const cases: readonly (readonly [z.ZodType, unknown, string])[] = [
    [z.string(), 5, "Write a text"],
    [z.object({ a: z.array(z.int()) }), {}, "This is needed: a list"],
    [z.enum(["up", "down", "off"]), "sideways", "Write up, down or off"],
    [z.literal("Done"), "x", "Write Done"],
    [z.string().max(3), "long", "Write at most 3 characters"],
    [z.string().min(1), "", "Write at least 1 character"],
    [z.array(z.int()).max(1), [1, 2], "Write at most 1 entry"],
    [z.number().max(9), 10, "Write a number of at most 9"],
    [z.number().gt(9), 9, "Write a number of more than 9"],
    [z.string().regex(/^a$/), "b", "This is not of the form that is wanted here"],
    [z.string().refine(() => false), "b", "This is not possible here"],
    [z.string().max(3, { error: "Be brief" }), "long", "Be brief"],
    [z.enum(["a"], { error: "Use a" }), "b", "Use a"],
  ];
  for (const [schema, value, wanted] of cases) {
    assert.deepEqual(text(schema, value), [wanted]);
  }
});
