import { isUnroutable, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { Domain, LeaseReport, MAX_ROUTES, MAX_SEARCH_DOMAINS } from "../plan_schema.ts";

/** A line of the DHCP client's event script. */
export type DhcpLine =
  | { readonly kind: "lease"; readonly lease: NonNullable<LeaseReport["lease"]> }
  /** The client has no address any more, or none yet. */
  | { readonly kind: "deconfig" }
  | { readonly kind: "nak" }
  /** No server responds. */
  | { readonly kind: "leasefail" }
  | { readonly kind: "malformed"; readonly text: string };

/** Characters of a malformed line that are reported. */
const MAX_TEXT_LENGTH = 200;

function list(text: unknown): string[] {
  return typeof text === "string" ? text.split(" ").filter((part) => part !== "") : [];
}

function isHostAddress(text: string): boolean {
  const value = parseIpv4(text);
  return value !== null && !isUnroutable(value);
}

/** A positive integer, or null. */
function integer(text: unknown, max: number): number | null {
  if (typeof text !== "string" || !/^[1-9]\d{0,9}$/.test(text)) return null;
  return Number(text) <= max ? Number(text) : null;
}

/** Infinite in DHCP (RFC 2131 3.3). */
const INFINITE = 0xffffffff;

interface Classless {
  readonly destination: string;
  readonly via: string | null;
}

/** Pairs of a network and its gateway, as udhcpc writes option 121; invalid pairs are left out. */
function classless(words: readonly string[]): readonly Classless[] {
  const routes: Classless[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [destination, gateway] = [words[at]!, words[at + 1]!];
    if (!destination.includes("/") || parseRange4(destination) === null) continue;
    if (gateway === "0.0.0.0") routes.push({ destination, via: null });
    else if (isHostAddress(gateway)) routes.push({ destination, via: gateway });
  }
  return routes;
}

function isDomain(text: string): boolean {
  return Domain.safeParse(text).success;
}

function lease(fields: Readonly<Record<string, unknown>>): LeaseReport["lease"] {
  const prefix = /^\d{1,2}$/.test(String(fields["mask"])) ? String(fields["mask"]) : "32";
  const seconds = integer(fields["lease"], INFINITE);
  const routes = classless(list(fields["routes"]));
  const offered = list(fields["router"]).find(isHostAddress) ?? null;
  // Where there are classless routes the router option must be ignored (RFC 3442).
  const router = routes.length === 0
    ? offered
    : routes.find(({ destination, via }) => destination === "0.0.0.0/0" && via !== null)?.via ??
      null;
  const domains = [...list(fields["search"]), ...list(fields["domain"])];
  const parsed = LeaseReport.shape.lease.safeParse({
    address: `${String(fields["ip"])}/${prefix}`,
    router,
    dns: list(fields["dns"]).filter(isHostAddress).slice(0, 8),
    search: [...new Set(domains)].filter(isDomain).slice(0, MAX_SEARCH_DOMAINS),
    // A default route without gateway stays one: it leads to the link itself.
    routes: routes.filter(({ destination, via }) =>
      destination !== "0.0.0.0/0" || (router === null && via === null)
    ).slice(0, MAX_ROUTES),
    mtu: integer(fields["mtu"], 65535),
    seconds: seconds === INFINITE ? null : seconds,
  });
  return parsed.success ? parsed.data : null;
}

/** Parses a line of the client's reporting script; whatever is no such line is malformed. */
export function parseDhcpLine(line: string): DhcpLine {
  const malformed: DhcpLine = { kind: "malformed", text: line.slice(0, MAX_TEXT_LENGTH) };
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return malformed;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return malformed;
  const fields = parsed as Readonly<Record<string, unknown>>;
  switch (fields["event"]) {
    case "bound":
    case "renew": {
      const given = lease(fields);
      return given === null ? malformed : { kind: "lease", lease: given };
    }
    case "deconfig":
      return { kind: "deconfig" };
    case "nak":
      return { kind: "nak" };
    case "leasefail":
      return { kind: "leasefail" };
    default:
      return malformed;
  }
}
