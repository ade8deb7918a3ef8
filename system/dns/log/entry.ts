import { readAnswers } from "./records.ts";
import type { LogEntry } from "./schema.ts";
import type { QueryRecord } from "./sink.ts";

/** What happened to one query, as events tell it: a topic and its value. */
export interface LogEvent {
  readonly topic: string;
  readonly value: unknown;
}

/** A query as it is kept and told. `id` grows with time. */
export function entryOf(query: QueryRecord, id: number): LogEntry {
  const { rcode, answers, first } = readAnswers(query.message);
  return {
    Q: [{ Name: query.name, Qtype: query.qtype, Qclass: query.qclass }],
    A: [...answers],
    Type: typeOf(query, rcode, answers.length),
    FirstName: answers[0]?.Hdr.Name ?? query.name,
    FirstAnswer: first,
    Local: endpoint(query.local, query.localPort),
    Remote: endpoint(query.client, query.clientPort),
    Categories: [...query.categories ?? []],
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

function typeOf(query: QueryRecord, rcode: number, answers: number): string {
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
export function eventsOf(entry: LogEntry, rebound: string | undefined): readonly LogEvent[] {
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
    const value = { ClientIP, BlockedIP: rebound ?? "", Name };
    return [served, { topic: "dns:blockrebind:event", value }];
  }
  return [served];
}
