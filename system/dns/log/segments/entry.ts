import { readAnswers } from "./answer_records.ts";
import type { LogEntry, Verdict } from "../schema.ts";

/** A query as it was written down. */
export interface LoggedQuery {
  /** Unix milliseconds. */
  readonly at: number;
  /** Canonical address that asked, and its port. */
  readonly client: string;
  readonly clientPort: number;
  /** Identity of the device; "" when the address is nobody's. */
  readonly identity: string;
  /** Address that was asked. */
  readonly local: string;
  /** Name of the question with its final dot, in lower case. */
  readonly name: string;
  readonly qtype: number;
  readonly qclass: number;
  readonly verdict: Verdict;
  /** The list or override that decided; "" when none did. */
  readonly by: string;
  readonly categories: readonly string[];
  /** Address of the resolver that was asked; "" for an answer from memory or from home. */
  readonly upstream: string;
  /** Milliseconds until it was answered. */
  readonly ms: number;
  /** The answer; its id means nothing, and its end may be cut off. */
  readonly message: Uint8Array;
  /** The address at home that an outside name pointed to; "" for none. */
  readonly rebound: string;
}

/** The port of the DNS. */
const PORT = 53;

/** What happened to one query, as events tell it: a topic and its value. */
export interface LogEvent {
  readonly topic: string;
  readonly value: unknown;
}

/** A query as it is kept and told. `id` grows with time. */
export function entryOf(query: LoggedQuery, id: number): LogEntry {
  const { rcode, answers, first } = readAnswers(query.message);
  return {
    Q: [{ Name: query.name, Qtype: query.qtype, Qclass: query.qclass }],
    A: [...answers],
    Type: typeOf(query, rcode, answers.length),
    FirstName: answers[0]?.Hdr.Name ?? query.name,
    FirstAnswer: first,
    Local: endpoint(query.local, PORT),
    Remote: endpoint(query.client, query.clientPort),
    Categories: [...query.categories],
    Timestamp: new Date(query.at).toISOString(),
    id,
    verdict: query.verdict,
    by: query.by,
    rcode,
    upstream: query.upstream,
    ms: Math.round(query.ms * 100) / 100,
    identity: query.identity,
  };
}

function typeOf(query: LoggedQuery, rcode: number, answers: number): string {
  if (query.verdict === "block" || query.verdict === "rebind") return "BLOCKED";
  if (query.verdict === "quarantine" && answers === 0) return "BLOCKED";
  if (rcode === 0) return answers === 0 ? "NODATA" : "NOERROR";
  return rcode === 3 ? "NXDOMAIN" : "OTHERERROR";
}

/** `address:port`, IPv6 in brackets (RFC 3986 3.2.2). */
function endpoint(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Address of an {@link endpoint}. */
export function addressOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(":")).replaceAll(/[[\]]/g, "");
}

/** The events of an entry: that it was asked, and what became of it when that is not the usual. */
export function eventsOf(entry: LogEntry, rebound: string): readonly LogEvent[] {
  const ClientIP = addressOf(entry.Remote);
  const Name = entry.Q[0]?.Name ?? "";
  const served = { topic: `dns:serve:${ClientIP}`, value: entry };
  if (entry.verdict === "block") {
    return [served, { topic: "dns:block:event", value: { ClientIP, Name } }];
  }
  if (entry.verdict === "answer") {
    const value = { ClientIP, IP: entry.FirstAnswer, Name };
    return [served, { topic: "dns:override:event", value }];
  }
  if (entry.verdict === "rebind") {
    const value = { ClientIP, BlockedIP: rebound, Name };
    return [served, { topic: "dns:blockrebind:event", value }];
  }
  return [served];
}
