import { isUnroutable, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { Domain, LeaseReport, MAX_ROUTES, SEARCH } from "../plan_schema.ts";

/** What the DHCP client says of itself. */
export type DhcpLine =
  | { readonly kind: "lease"; readonly lease: NonNullable<LeaseReport["lease"]> }
  /** The client has no address any more, or none yet. */
  | { readonly kind: "without" }
  | { readonly kind: "refused" }
  /** Nobody answers. */
  | { readonly kind: "silence" }
  | { readonly kind: "garbage"; readonly words: string };

/** Longest text of a line that is passed on to people. */
const WORDS = 200;

function list(text: unknown): string[] {
  return typeof text === "string" ? text.split(" ").filter((part) => part !== "") : [];
}

function isMachine(text: string): boolean {
  const value = parseIpv4(text);
  return value !== null && !isUnroutable(value);
}

/** A plain number, or null. */
function whole(text: unknown, most: number): number | null {
  if (typeof text !== "string" || !/^[1-9]\d{0,9}$/.test(text)) return null;
  return Number(text) <= most ? Number(text) : null;
}

/** Infinite in DHCP (RFC 2131 3.3). */
const FOREVER = 0xffffffff;

interface Classless {
  readonly destination: string;
  readonly via: string | null;
}

/** Pairs of a network and its gateway, as udhcpc writes option 121; pairs that are none are left out. */
function classless(words: readonly string[]): readonly Classless[] {
  const routes: Classless[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [destination, gateway] = [words[at]!, words[at + 1]!];
    if (!destination.includes("/") || parseRange4(destination) === null) continue;
    if (gateway === "0.0.0.0") routes.push({ destination, via: null });
    else if (isMachine(gateway)) routes.push({ destination, via: gateway });
  }
  return routes;
}

function isDomain(text: string): boolean {
  return Domain.safeParse(text).success;
}

function lease(said: Readonly<Record<string, unknown>>): LeaseReport["lease"] {
  const prefix = /^\d{1,2}$/.test(String(said["mask"])) ? String(said["mask"]) : "32";
  const seconds = whole(said["lease"], FOREVER);
  const routes = classless(list(said["routes"]));
  const offered = list(said["router"]).find(isMachine) ?? null;
  // Where there are classless routes the router option must be ignored (RFC 3442).
  const router = routes.length === 0
    ? offered
    : routes.find(({ destination }) => destination === "0.0.0.0/0")?.via ?? null;
  const domains = [...list(said["search"]), ...list(said["domain"])];
  const parsed = LeaseReport.shape.lease.safeParse({
    address: `${String(said["ip"])}/${prefix}`,
    router,
    dns: list(said["dns"]).filter(isMachine).slice(0, 8),
    search: [...new Set(domains)].filter(isDomain).slice(0, SEARCH.most),
    routes: routes.filter(({ destination }) => destination !== "0.0.0.0/0").slice(0, MAX_ROUTES),
    mtu: whole(said["mtu"], 65535),
    seconds: seconds === FOREVER ? null : seconds,
  });
  return parsed.success ? parsed.data : null;
}

/** Reads a line of the client's reporting script; whatever is no such line is garbage. */
export function parseDhcpLine(line: string): DhcpLine {
  const garbage: DhcpLine = { kind: "garbage", words: line.slice(0, WORDS) };
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return garbage;
  }
  if (typeof said !== "object" || said === null || Array.isArray(said)) return garbage;
  const fields = said as Readonly<Record<string, unknown>>;
  switch (fields["event"]) {
    case "bound":
    case "renew": {
      const given = lease(fields);
      return given === null ? garbage : { kind: "lease", lease: given };
    }
    case "deconfig":
      return { kind: "without" };
    case "nak":
      return { kind: "refused" };
    case "leasefail":
      return { kind: "silence" };
    default:
      return garbage;
  }
}
