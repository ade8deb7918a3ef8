import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
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
  const rejected: RejectedEntry[] = [];
  const admissions: Admission[] = [];
  (Array.isArray(raw["Open"]) ? raw["Open"] : []).forEach((entry, index) => {
    const parsed = Admission.safeParse(entry);
    const message = !parsed.success
      ? parsed.error.issues[0]!.message
      : admissions.some(({ Interface }) => Interface === parsed.data.Interface)
      ? "Duplicate entry"
      : admissions.length >= MAX_ADMISSIONS
      ? `At most ${MAX_ADMISSIONS} interfaces can admit unknown devices at the same time`
      : null;
    if (parsed.success && message === null) admissions.push(parsed.data);
    else rejected.push({ pointer: `/Open/${index}`, message: message ?? "", raw: entry });
  });
  return { value: { Open: admissions }, rejected };
}
