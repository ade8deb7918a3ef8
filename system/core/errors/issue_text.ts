import * as z from "zod";

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
const CHARACTERS = { one: " character", many: " characters" } as const;
const ENTRIES = { one: " entry", many: " entries" } as const;
const AMOUNTS: Readonly<Record<string, typeof CHARACTERS | typeof ENTRIES>> = {
  string: CHARACTERS,
  array: ENTRIES,
  object: ENTRIES,
  record: ENTRIES,
};

/** A sentence of what would be right, for a schema that has none of its own; undefined: zod's. */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const kind = KINDS[issue.expected];
      if (kind === undefined) return undefined;
      return issue.input === undefined ? `This is needed: ${kind}` : `Write ${kind}`;
    }
    case "invalid_value":
      return `Write ${choice(issue.values)}`;
    case "too_big":
      return bound(issue, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "too_small":
      return bound(issue, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "invalid_format":
      return "This is not of the form that is wanted here";
    case "custom":
      return "This is not possible here";
    default:
      return undefined;
  }
}

// Readers of a file or a request get the same texts, whichever schema it is.
z.config({ customError: issueWords });

function bound(
  { origin }: { readonly origin: string },
  text: string,
  limit: number | bigint,
): string {
  const amount = AMOUNTS[origin];
  if (amount === undefined) return `Write a number of ${text} ${limit}`;
  return `Write ${text} ${limit}${limit === 1 ? amount.one : amount.many}`;
}

function choice(values: readonly unknown[]): string {
  const names = values.map((value) => typeof value === "string" ? value : JSON.stringify(value));
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
