import type { Devices } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";
import { listName } from "./lists/actions.ts";
import type { LogEntry } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Types of records that people may meet (IANA "DNS Parameters"); others go by their number. */
const TYPES: Readonly<Record<number, string>> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  43: "DS",
  48: "DNSKEY",
  64: "SVCB",
  65: "HTTPS",
  255: "ANY",
};

/** The name of a record type. */
export function typeText(type: number): string {
  return TYPES[type] ?? `TYPE${type}`;
}

/** A name as people read it: without its final dot. */
export function bare(name: string): string {
  return name.length > 1 && name.endsWith(".") ? name.slice(0, -1) : name;
}

/** The query name of an entry. */
export function queryName(entry: LogEntry): string {
  return bare(entry.Q[0]?.Name ?? "");
}

/** Address of the client. */
export function clientOf({ Remote }: Pick<LogEntry, "Remote">): string {
  return Remote.slice(0, Remote.lastIndexOf(":")).replaceAll(/[[\]]/g, "");
}

/** The client for people: the device, else its address. */
export function whoOf(entry: LogEntry, devices: Devices | null): string {
  const device = devices?.[entry.identity];
  return device === undefined ? clientOf(entry) : nameOf(entry.identity, device);
}

/** The verdict of a query as a chip: a word and its tone. */
export function outcome(entry: LogEntry): readonly [word: string, tone: "" | "danger" | "warning"] {
  switch (entry.verdict) {
    case "block":
      return [t("Blocked"), "danger"];
    case "rebind":
      return [t("DNS rebinding blocked"), "danger"];
    case "quarantine":
      return [t("Quarantine"), "danger"];
    case "rewrite":
      return [t("Rewritten"), "warning"];
    case "permit":
      return [t("Allowed"), "warning"];
    case "refused":
      return [t("Refused"), "danger"];
    default:
      return entry.Type === "NXDOMAIN"
        ? [t("No such domain"), ""]
        : entry.Type === "OTHERERROR"
        ? [t("Failed"), "warning"]
        : entry.Type === "NODATA"
        ? [t("No such record"), ""]
        : [entry.verdict === "local" ? t("Local") : t("Answered"), ""];
  }
}

/** What a rule can be made for: a domain name as it goes over the wire. */
const DOMAIN = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;

/** What a custom rule could do about a query: the opposite of what was done; nothing for local names. */
export function decisionsFor(entry: LogEntry): readonly ("permit" | "block")[] {
  if (!DOMAIN.test(queryName(entry))) return [];
  switch (entry.verdict) {
    case "block":
    case "rebind":
      return ["permit"];
    case "pass":
    case "permit":
      return ["block"];
    case "rewrite":
      return ["permit", "block"];
    default:
      return [];
  }
}

/** The rule that decided, in a word or two; empty where none did. */
export function ruleText(entry: LogEntry): string {
  if (entry.verdict === "rebind") return t("DNS rebinding");
  if (entry.by === "bypass") return t("DNS bypass");
  return /^(https?|upload):/.test(entry.by) ? listName(entry.by) : entry.by;
}

/** The reason for the verdict, in one sentence; empty where it is obvious. */
export function reason(entry: LogEntry): string {
  switch (entry.verdict) {
    case "block":
      if (entry.by === "bypass") {
        return t("Devices look up this name to bypass this router’s DNS.");
      }
      return entry.by === "" ? t("Blocked.") : t("Blocked by {by}.", { by: entry.by });
    case "rebind":
      return t(
        "A public domain resolved to a private address, which could let a web page reach devices in your LAN.",
      );
    case "quarantine":
      return t("The device is in quarantine and can only reach this router.");
    case "rewrite":
      return t("Rewritten by a custom rule: {by}.", { by: entry.by });
    case "permit":
      return t("Allowed by a custom rule: {by}.", { by: entry.by });
    case "refused":
      return t("The query was refused.");
    case "local":
      return t("A local name.");
    default:
      return entry.upstream === ""
        ? t("From cache.")
        : t("Answered by {upstream}.", { upstream: entry.upstream });
  }
}
