import { Problem } from "../../core/errors/problem.ts";
import { readRegulatoryDb, REGULATORY_DB_PATHS, type RegulatoryRule } from "./regulatory_db.ts";

/**
 * The rules of the installed wireless-regdb by country. Throws Problem 503 where it is not installed or
 * cannot be read.
 */
export async function installedRegulatory(): Promise<
  ReadonlyMap<string, readonly RegulatoryRule[]>
> {
  for (const path of REGULATORY_DB_PATHS) {
    try {
      return readRegulatoryDb(await Deno.readFile(path));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      throw new Problem(503, "The regulatory database cannot be read", { cause: error });
    }
  }
  throw new Problem(
    503,
    "There is no regulatory database. The Debian package wireless-regdb brings it.",
  );
}
