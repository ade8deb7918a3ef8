import type { Action, Field, Match, Rule } from "../../core/kernel/ruleset.ts";

/** The field is one of these. */
export function is(field: Field, ...values: readonly string[]): Match {
  return { kind: "is", field, values };
}

/** The field is none of these. */
export function isNot(field: Field, ...values: readonly string[]): Match {
  return { kind: "is", field, values, not: true };
}

/** The joined fields are in the set. */
export function within(set: string, ...fields: readonly Field[]): Match {
  return { kind: "in", fields, set };
}

/** The joined fields are not in the set. */
export function without(set: string, ...fields: readonly Field[]): Match {
  return { kind: "in", fields, set, not: true };
}

/** Do what the map says of the joined fields. */
export function look(map: string, ...fields: readonly Field[]): Action {
  return { kind: "vmap", fields, map };
}

/** A rule: its meaning, what it does, and when. */
export function rule(comment: string, action: Action, ...matches: readonly Match[]): Rule {
  return { comment, action, matches };
}

export const accept: Action = { kind: "accept" };
export const drop: Action = { kind: "drop" };
