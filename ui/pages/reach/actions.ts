import type { Action } from "../../actions/action.ts";
import type { ReachTestResult } from "./wire.ts";
import { t } from "../../text/language.ts";

/** A test as it is written. */
export type ReachTest = Pick<
  ReachTestResult,
  "Name" | "From" | "To" | "Protocol" | "Port" | "Expect"
>;

/** Saves an access test, which every later change is checked against. */
export function saveTest(test: ReachTest, promise: string, after: () => void): Action {
  return {
    title: t("Preview: new test"),
    subject: test.Name,
    sentence: t("is checked on every change: {promise}.", { promise }),
    button: t("Save test"),
    done: t("was saved. A change that fails it is refused."),
    request: () => ({ method: "PUT", path: "/reach/tests", body: test }),
    after,
  };
}

/** Deletes an access test, which changes nobody's access. */
export function deleteTest(name: string, after: () => void): Action {
  return {
    title: t("Preview: delete test"),
    subject: name,
    sentence: t("is no longer checked on changes."),
    button: t("Delete test"),
    done: t("was deleted."),
    request: () => ({ method: "DELETE", path: "/reach/tests", body: { Name: name } }),
    after,
  };
}
