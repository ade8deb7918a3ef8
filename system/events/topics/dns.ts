import * as z from "zod";
import { LogEntry } from "../../dns/log/schema.ts";
import { document, text, type Topic, whole } from "./topic.ts";

const DyndnsUpdate = z.strictObject({ Host: text, Address: text, OK: z.boolean() });
const DnsBlocked = z.strictObject({ ClientIP: text, Name: text });
const DnsOverridden = z.strictObject({ ClientIP: text, IP: text, Name: text });
const DnsRebinding = z.strictObject({ ClientIP: text, BlockedIP: text, Name: text });
const DnsSkipped = z.strictObject({ count: whole });

/** Topics of DNS and dynamic DNS. */
export const DNS_TOPICS: readonly Topic[] = [
  document("dns", "/plugins/dns/block/config", "DNS settings, custom rules or block lists"),
  {
    name: "dns:block:event",
    what: "a query was blocked",
    path: "/plugins/dns/log/entries",
    payload: DnsBlocked,
    passing: true,
  },
  {
    name: "dns:blockrebind:event",
    what: "a response with a local address was blocked",
    path: "/plugins/dns/log/entries",
    payload: DnsRebinding,
    passing: true,
  },
  {
    name: "dns:override:event",
    what: "a query was rewritten",
    path: "/plugins/dns/log/entries",
    payload: DnsOverridden,
    passing: true,
  },
  {
    name: "dns:serve:",
    what: "a query was answered; the topic ends in the client's address",
    path: "/plugins/dns/log/entries",
    payload: z.strictObject(LogEntry.shape),
    passing: true,
  },
  {
    name: "dns:skipped",
    what: "so many queries came too fast to be published",
    path: "/plugins/dns/log/entries",
    payload: DnsSkipped,
    passing: true,
  },
  document("dyndns", "/plugins/dyndns/config", "dynamic DNS settings"),
  {
    name: "dyndns:update",
    what: "a host name was updated, or could not be",
    path: "/plugins/dyndns/status",
    payload: DyndnsUpdate,
  },
];
