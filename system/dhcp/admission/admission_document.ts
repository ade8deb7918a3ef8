import type { Aside, Document, Reading } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { Problem } from "../../core/errors/problem.ts";
import { Admission, Admissions, MOST_OPEN } from "./admission_schema.ts";

/** No link is open. */
export const NOBODY_ADMITTED: Admissions = { Open: [] };

/** Links that are open to unknown devices for a while (`configs/base/newcomers.json`). */
export const newcomersDocument: Document<Admissions> = {
  path: "base/newcomers.json",
  topic: "newcomers",
  schema: Admissions,
  fallback: NOBODY_ADMITTED,
  read,
  keyOf: (element) =>
    isRecord(element) && "Link" in element ? String(element["Link"]) : JSON.stringify(element),
};

/** Reads the links; an entry that is none, stands twice, or is one too many is kept aside. */
function read(raw: unknown): Reading<Admissions> {
  if (!isRecord(raw)) throw new Problem(400, "The open links are an object with Open");
  const aside: Aside[] = [];
  const links: Admission[] = [];
  (Array.isArray(raw["Open"]) ? raw["Open"] : []).forEach((entry, index) => {
    const parsed = Admission.safeParse(entry);
    const message = !parsed.success
      ? parsed.error.issues[0]!.message
      : links.some(({ Link }) => Link === parsed.data.Link)
      ? "It stands in the list twice"
      : links.length >= MOST_OPEN
      ? `At most ${MOST_OPEN} links can be open at the same time`
      : null;
    if (parsed.success && message === null) links.push(parsed.data);
    else aside.push({ pointer: `/Open/${index}`, message: message ?? "", raw: entry });
  });
  return { value: { Open: links }, aside };
}
