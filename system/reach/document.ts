import * as z from "zod";
import type { Document, RejectedEntry } from "../core/config/document.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { ReachTest } from "./schema.ts";

/** What must and must not reach what: `base/reach_tests.json`. */
export const reachTestsDocument: Document<readonly ReachTest[]> = {
  path: "base/reach_tests.json",
  topic: "reach",
  schema: z.array(ReachTest),
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The tests of reach are one JSON array");
    const value: ReachTest[] = [], rejected: RejectedEntry[] = [];
    const names = new Set<string>();
    raw.forEach((entry: unknown, index) => {
      const test = ReachTest.safeParse(entry);
      if (!test.success) {
        const issue = test.error.issues[0];
        const path = pointer([index, ...(issue?.path ?? [])]);
        rejected.push({ pointer: path, message: issue?.message ?? "Not a test", raw: entry });
      } else if (names.has(test.data.Name)) {
        const message = `The test ${test.data.Name} is listed twice; the first entry holds`;
        rejected.push({ pointer: pointer([index, "Name"]), message, raw: entry });
      } else {
        names.add(test.data.Name);
        value.push(test.data);
      }
    });
    return { value, rejected };
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "Name" in element
      ? String(element.Name)
      : JSON.stringify(element),
};
