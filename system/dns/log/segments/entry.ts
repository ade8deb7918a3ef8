import { readAnswers } from "./answer_records.ts";
import type { LogEntry, LogVerdict } from "../schema.ts";

/** A query as a segment stores it. */
export interface LoggedQuery {
  /** Unix milliseconds. */
  readonly at: number;
  /** Canonical address of the client, and its port. */
  readonly client: string;
  readonly clientPort: number;
  /** Identity of the device; "" for an address without a device. */
  readonly identity: string;
  /** Address that received the query. */
  readonly local: string;
  /** Query name with its final dot, in lower case. */
  readonly name: string;
  readonly qtype: number;
  readonly qclass: number;
  readonly verdict: LogVerdict;
  /** The block list or override that decided; "" for none. */
  readonly by: string;
  readonly categories: readonly string[];
  /** Address of the upstream resolver; "" for an answer from the cache or the local zone. */
  readonly upstream: string;
  /** Milliseconds until the answer was sent. */
  readonly ms: number;
  /** The response message; its id is meaningless, and its end may be cut off. */
  readonly message: Uint8Array;
  /** The local address that DNS rebinding protection blocked; "" for none. */
  readonly rebindAddress: string;
}

const DNS_PORT = 53;

/** A live event of a query. */
export interface LogEvent {
  readonly topic: string;
  readonly value: unknown;
}

/** The log entry of a query. */
export function entryOf(query: LoggedQuery, id: number): LogEntry {
  const { rcode, answers, first } = readAnswers(query.message);
  return {
    Q: [{ Name: query.name, Qtype: query.qtype, Qclass: query.qclass }],
    A: [...answers],
    Type: typeOf(query, rcode, answers.length),
    FirstName: answers[0]?.Hdr.Name ?? query.name,
    FirstAnswer: first,
    Local: endpoint(query.local, DNS_PORT),
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

/** The events of an entry: one for every query, and one more when it was blocked or rewritten. */
export function eventsOf(entry: LogEntry, rebound: string): readonly LogEvent[] {
  const ClientIP = addressOf(entry.Remote);
  const Name = entry.Q[0]?.Name ?? "";
  const served = { topic: `dns:serve:${ClientIP}`, value: entry };
  if (entry.verdict === "block") {
    return [served, { topic: "dns:block:event", value: { ClientIP, Name } }];
  }
  if (entry.verdict === "rewrite") {
    const value = { ClientIP, IP: entry.FirstAnswer, Name };
    return [served, { topic: "dns:override:event", value }];
  }
  if (entry.verdict === "rebind") {
    const value = { ClientIP, BlockedIP: rebound, Name };
    return [served, { topic: "dns:blockrebind:event", value }];
  }
  return [served];
}
