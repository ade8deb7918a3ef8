import * as z from "zod";
import type { Document } from "../core/config/document.ts";
import { readList } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { ReachTest } from "./schema.ts";

/** What must and must not reach what: `base/reach_tests.json`. */
export const reachTestsDocument: Document<readonly ReachTest[]> = {
  path: "base/reach_tests.json",
  topic: "reach",
  schema: z.array(ReachTest),
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The tests of reach are one JSON array");
    return readList<ReachTest>(raw, {
      schema: ReachTest,
      fault: ({ Name }, before) =>
        before.some((one) => one.Name === Name)
          ? `The test ${Name} is listed twice; the first entry holds`
          : null,
    });
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "Name" in element
      ? String(element.Name)
      : JSON.stringify(element),
};
