import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { issueMessage, withoutNulls } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { Dyndns, NO_DYNDNS } from "./schema.ts";

/** The settings of dynamic DNS, in the file and with the fields of existing routers. */
export const dyndnsDocument: Document<Dyndns> = {
  path: "dyndns/godyndns.json",
  topic: "dyndns",
  schema: Dyndns,
  fallback: NO_DYNDNS,
  read,
  secret: (path) => path.length === 1 && ["password", "login_token"].includes(path[0]!),
  keyOf: (element) => isRecord(element) ? String(element.domain_name) : String(element),
};

/** Reads the file; older ones name one page for the address under another name. */
function read(raw: unknown): Reading<Dyndns> {
  if (!isRecord(raw)) throw new Problem(400, "The settings of dynamic DNS are an object");
  const given = withoutNulls(raw);
  const { ip_url } = given;
  const pages = Array.isArray(given["ip_urls"]) && given["ip_urls"].length > 0
    ? given["ip_urls"]
    : typeof ip_url === "string" && ip_url !== ""
    ? [ip_url]
    : [];
  const parsed = Dyndns.safeParse({ ...given, ip_urls: pages });
  if (parsed.success) return { value: parsed.data, rejected: [] };
  throw new Problem(400, issueMessage(parsed.error));
}
