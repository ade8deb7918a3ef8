/*
 * Captive portals answer in the place of any web server until somebody signs in. A page whose content is
 * known tells: whatever else comes back is a portal's.
 */

/** Bodies of pages that exist for this purpose. */
const EXPECTED = ["NetworkManager is online", "success", "Microsoft Connect Test"];
/** Characters of an address that are shown. */
const MAX_URL = 300;

/** What an answer says. */
export interface PortalVerdict {
  /** `open`: the page came; `portal`: something else came; `unknown`: nothing that tells. */
  readonly state: "open" | "portal" | "unknown";
  /** Where a portal wants to be visited; "" for no portal. */
  readonly url: string;
}

/**
 * Judges the raw answer of the page, headers first, which may hold anything and end anywhere. `requested`: its
 * address.
 */
export function portalVerdict(raw: string, requested: string): PortalVerdict {
  const { status, location, body } = finalAnswer(raw);
  if (status === 204) return { state: "open", url: "" };
  if (status === 200 && EXPECTED.includes(body.trim())) return { state: "open", url: "" };
  if (status >= 300 && status < 400) {
    return { state: "portal", url: shownUrl(location, requested) };
  }
  // RFC 6585 6.
  if (status === 511 || (status >= 200 && status < 300)) {
    return { state: "portal", url: shownUrl("", requested) };
  }
  return { state: "unknown", url: "" };
}

interface Answer {
  readonly status: number;
  readonly location: string;
  readonly body: string;
}

/** The answer after interim ones (RFC 9110 15.2); status 0 where it is none. */
function finalAnswer(raw: string): Answer {
  let rest = raw;
  for (let interim = 0; interim < 10; interim++) {
    const head = /^HTTP\/[\d.]{1,3} (\d{3})\b/.exec(rest);
    if (head === null) break;
    const end = /\r?\n\r?\n/.exec(rest);
    const headers = end === null ? rest : rest.slice(0, end.index);
    const body = end === null ? "" : rest.slice(end.index + end[0].length);
    const status = Number(head[1]);
    if (status >= 200) {
      const location = /^location:[ \t]*(.*?)[ \t]*\r?$/im.exec(headers)?.[1] ?? "";
      return { status, location, body };
    }
    rest = body;
  }
  return { status: 0, location: "", body: "" };
}

/** An address that can be shown to people: it is percent-encoded, and holds no user name. */
function shownUrl(location: string, requested: string): string {
  const url = URL.parse(location === "" ? requested : location, requested);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return originOf(requested);
  url.username = url.password = "";
  url.hash = "";
  if (url.href.length <= MAX_URL) return url.href;
  url.search = "";
  return url.href.length <= MAX_URL ? url.href : url.origin.slice(0, MAX_URL);
}

function originOf(requested: string): string {
  return (URL.parse(requested)?.href ?? "").slice(0, MAX_URL);
}
