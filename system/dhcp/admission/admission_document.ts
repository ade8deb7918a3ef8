import type { Document, Reading } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { Admission, Admissions, MAX_ADMISSIONS } from "./admission_schema.ts";

/** No interface admits more unknown devices than usual. */
const NO_ADMISSIONS: Admissions = { Open: [] };

/** Interfaces with no limit on unknown devices for a while (`configs/base/admissions.json`). */
export const admissionsDocument: Document<Admissions> = {
  path: "base/admissions.json",
  topic: "admissions",
  schema: Admissions,
  fallback: NO_ADMISSIONS,
  read,
  keyOf: (element) =>
    isRecord(element) && "Interface" in element
      ? String(element["Interface"])
      : JSON.stringify(element),
};

/** Reads the admissions; an invalid, duplicate or surplus entry is rejected. */
function read(raw: unknown): Reading<Admissions> {
  if (!isRecord(raw)) throw new Problem(400, "Admissions must be an object with a list Open");
  const { value, rejected } = readList<Admission>(Array.isArray(raw["Open"]) ? raw["Open"] : [], {
    schema: Admission,
    at: ["Open"],
    fault: ({ Interface }, before) =>
      before.some((one) => one.Interface === Interface)
        ? "Duplicate entry"
        : before.length >= MAX_ADMISSIONS
        ? `At most ${MAX_ADMISSIONS} interfaces can admit unknown devices at the same time`
        : null,
  });
  return { value: { Open: value }, rejected };
}
