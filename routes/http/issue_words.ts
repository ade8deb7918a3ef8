import type { z } from "zod";

/** Kinds of values as they are called in a sentence. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};

/** What there may be too much or too little of. */
const AMOUNTS: Readonly<Record<string, string>> = {
  string: " characters",
  array: " entries",
  object: " entries",
  record: " entries",
};

/** A sentence of what would be right, where the schema has none of its own; else the schema's. */
export function issueWords(issue: z.core.$ZodIssue): string {
  return ownWords(issue) ?? issue.message;
}

function ownWords(issue: z.core.$ZodIssue): string | null {
  const { message } = issue;
  switch (issue.code) {
    case "invalid_type": {
      const [, got] = /^Invalid input: expected .*, received (\S+)$/.exec(message) ?? [];
      const kind = KINDS[issue.expected];
      if (got === undefined || kind === undefined) return null;
      return got === "undefined" ? `This is needed: ${kind}` : `Write ${kind}`;
    }
    case "invalid_value":
      return message.startsWith("Invalid ") ? `Write ${choice(issue.values)}` : null;
    case "too_big":
    case "too_small": {
      if (!message.startsWith("Too ")) return null;
      const [bound, limit, within] = issue.code === "too_big"
        ? ["at most", issue.maximum, "less than"] as const
        : ["at least", issue.minimum, "more than"] as const;
      const words = issue.inclusive === false ? within : bound;
      const amount = AMOUNTS[issue.origin];
      return amount === undefined
        ? `Write a number of ${words} ${limit}`
        : `Write ${words} ${limit}${limit === 1 ? singular(amount) : amount}`;
    }
    case "invalid_format":
      return message.startsWith("Invalid ") ? "This is not of the form that is wanted here" : null;
    case "custom":
      return message === "Invalid input" ? "This is not possible here" : null;
    default:
      return null;
  }
}

function choice(values: readonly unknown[]): string {
  const names = values.map((value) => typeof value === "string" ? value : JSON.stringify(value));
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function singular(amount: string): string {
  return amount === " entries" ? " entry" : " character";
}
