import type { Action } from "../../actions/action.ts";
import type { ReachTestResult } from "./wire.ts";

/** A test as it is written. */
export type ReachTest = Pick<
  ReachTestResult,
  "Name" | "From" | "To" | "Protocol" | "Port" | "Expect"
>;

/** Keeps a promise about two ends that every later write is held to. */
export function saveTest(test: ReachTest, promise: string, after: () => void): Action {
  return {
    title: "Preview: new test",
    subject: test.Name,
    sentence: `is held against every change: ${promise}.`,
    button: "Keep this test",
    done: "is a test now. A change that would break it is refused.",
    request: () => ({ method: "PUT", path: "/reach/tests", body: test }),
    after,
  };
}

/** Drops a test; nobody’s access changes by it. */
export function deleteTest(name: string, after: () => void): Action {
  return {
    title: "Preview: delete test",
    subject: name,
    sentence: "is no longer held against changes.",
    button: "Delete this test",
    done: "is no longer a test.",
    request: () => ({ method: "DELETE", path: "/reach/tests", body: { Name: name } }),
    after,
  };
}
