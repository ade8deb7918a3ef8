import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type ReachEnd = Schemas["ReachEnd"];

export type ReachRule = Schemas["ReachRule"];

/** The answer of `GET /reach`. */
export type ReachAnswer = Schemas["ReachAnswer"];

/** An access test with its current result. */
export type ReachTestResult = Omit<Schemas["ReachTestResult"], "Protocol"> & {
  readonly Protocol: string;
};

/** A change that turns the verdict, as `GET /reach?suggest=true` proposes it. */
export type ReachSuggestion = Schemas["ReachSuggestion"];
