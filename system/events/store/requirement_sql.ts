import { and, or, type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Comparison, Requirement } from "../jpath/requirements.ts";

const OPERATORS: Readonly<Record<Comparison, SQL>> = {
  "==": sql`=`,
  "<": sql`<`,
  "<=": sql`<=`,
  ">": sql`>`,
  ">=": sql`>=`,
};

/** Whether the JSON of a column has all of this; undefined where nothing is required. */
export function requirementSql(
  column: SQLWrapper,
  requirements: readonly Requirement[],
): SQL | undefined {
  return and(...requirements.map((one) => single(column, one)));
}

function single(column: SQLWrapper, requirement: Requirement): SQL | undefined {
  switch (requirement.kind) {
    case "text":
      return sql`instr(${column}, ${requirement.text}) > 0`;
    case "number": {
      const { keys, operator, value } = requirement;
      const path = `$${keys.map((key) => `."${key}"`).join("")}`;
      const isAbsent = sql`coalesce(json_type(${column}, ${path}), 'null') = 'null'`;
      const isWhole = sql`json_type(${column}, ${path}) = 'integer'`;
      const compared = sql`json_extract(${column}, ${path}) ${OPERATORS[operator]} ${value}`;
      // SQLite does not read JSON of more than a thousand levels, and rounds fractions otherwise than
      // JavaScript: such an item is evaluated.
      return sql`CASE WHEN NOT json_valid(${column}) THEN 1 WHEN ${isAbsent} THEN 0
        WHEN ${isWhole} THEN ${compared} ELSE 1 END`;
    }
    case "any":
      return or(...requirement.of.map((one) => requirementSql(column, one)));
  }
}
