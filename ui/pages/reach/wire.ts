import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type Verdict = "accept" | "drop" | "reject";

export type ReachEnd = Schemas["ReachEnd"];

export type ReachRule = Schemas["ReachRule"];

/** The answer of `GET /reach`. */
export type ReachAnswer = Schemas["ReachAnswer"];

/** A test with whether it holds now, as `GET /reach/tests` answers it. */
export type ReachTestResult = Omit<Schemas["ReachTestResult"], "Protocol"> & {
  readonly Protocol: string;
};

/** A write that turns an answer round, as `GET /reach?suggest=true` proposes it. */
export interface ReachSuggestion {
  readonly summary: string;
  readonly method: "PUT" | "DELETE";
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** What it changes beside, in words. */
  readonly sideEffects: string;
  readonly allows: number;
  readonly denies: number;
  /** The address that the question is then to be put to, where it is another. */
  readonly to?: string;
}
