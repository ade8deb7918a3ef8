import * as z from "zod";
import { englishOf, type Sentence, sentence } from "./problem.ts";

interface Kind {
  /** Where the value is missing. */
  readonly needed: string;
  /** Where it is of another kind. */
  readonly wrong: string;
}

const LIST: Kind = { needed: "This is needed: a list", wrong: "Write a list" };
const OBJECT: Kind = { needed: "This is needed: an object", wrong: "Write an object" };

/** Kinds of values as they are called in a sentence. */
const KINDS: Readonly<Record<string, Kind>> = {
  string: { needed: "This is needed: a text", wrong: "Write a text" },
  number: { needed: "This is needed: a number", wrong: "Write a number" },
  int: { needed: "This is needed: a whole number", wrong: "Write a whole number" },
  boolean: { needed: "This is needed: true or false", wrong: "Write true or false" },
  array: LIST,
  tuple: LIST,
  object: OBJECT,
  record: OBJECT,
};

const FORMAT = { message: "This is not of the form that is wanted here" };
const OTHER = { message: "This is not possible here" };

/** Kinds of values that have a length. */
const LENGTHS = ["string", "array", "object", "record"];

/** A sentence of what would be right, for a schema that has none of its own; undefined: zod's. */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  const made = issueSentence(issue);
  if (made !== null) return englishOf(made);
  switch (issue.code) {
    case "invalid_type": {
      const kind = KINDS[issue.expected];
      if (kind === undefined) return undefined;
      return issue.input === undefined ? kind.needed : kind.wrong;
    }
    case "invalid_format":
      return FORMAT.message;
    case "custom":
      return OTHER.message;
    default:
      return undefined;
  }
}

// Readers of a file or a request get the same texts, whichever schema it is.
z.config({ customError: issueWords });

/** What is known of a value that is wrong. */
interface Issue {
  readonly code?: string | undefined;
  readonly origin?: unknown;
  readonly inclusive?: unknown;
  readonly maximum?: unknown;
  readonly minimum?: unknown;
  readonly values?: unknown;
}

/** The parts of the sentence about a limit or a choice; null for any other issue. */
export function issueSentence(issue: Issue): Sentence | null {
  if (issue.code === "invalid_value" && Array.isArray(issue.values)) {
    return sentence("Write {choices}", { choices: choice(issue.values) });
  }
  const isMost = issue.code === "too_big";
  if (!isMost && issue.code !== "too_small") return null;
  const limit = Number(isMost ? issue.maximum : issue.minimum);
  const origin = String(issue.origin);
  if (!LENGTHS.includes(origin)) return number(isMost, issue.inclusive !== false, limit);
  if (origin === "string") {
    return limit === 1
      ? isMost
        ? sentence("Write at most {limit} character", { limit })
        : sentence("Write at least {limit} character", { limit })
      : isMost
      ? sentence("Write at most {limit} characters", { limit })
      : sentence("Write at least {limit} characters", { limit });
  }
  return limit === 1
    ? isMost
      ? sentence("Write at most {limit} entry", { limit })
      : sentence("Write at least {limit} entry", { limit })
    : isMost
    ? sentence("Write at most {limit} entries", { limit })
    : sentence("Write at least {limit} entries", { limit });
}

function number(isMost: boolean, inclusive: boolean, limit: number): Sentence {
  if (isMost) {
    return inclusive
      ? sentence("Write a number of at most {limit}", { limit })
      : sentence("Write a number of less than {limit}", { limit });
  }
  return inclusive
    ? sentence("Write a number of at least {limit}", { limit })
    : sentence("Write a number of more than {limit}", { limit });
}

function choice(values: readonly unknown[]): string {
  const names = values.map((value) => typeof value === "string" ? value : JSON.stringify(value));
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
