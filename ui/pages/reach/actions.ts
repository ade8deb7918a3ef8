import type { Action } from "../../actions/action.ts";
import type { ReachTestResult } from "./wire.ts";

/** A test as it is written. */
export type ReachTest = Pick<
  ReachTestResult,
  "Name" | "From" | "To" | "Protocol" | "Port" | "Expect"
>;

/** Saves an access test, which every later change is checked against. */
export function saveTest(test: ReachTest, promise: string, after: () => void): Action {
  return {
    title: "Preview: new test",
    subject: test.Name,
    sentence: `is checked on every change: ${promise}.`,
    button: "Save test",
    done: "was saved. A change that fails it is refused.",
    request: () => ({ method: "PUT", path: "/reach/tests", body: test }),
    after,
  };
}

/** Deletes an access test, which changes nobody's access. */
export function deleteTest(name: string, after: () => void): Action {
  return {
    title: "Preview: delete test",
    subject: name,
    sentence: "is no longer checked on changes.",
    button: "Delete test",
    done: "was deleted.",
    request: () => ({ method: "DELETE", path: "/reach/tests", body: { Name: name } }),
    after,
  };
}
