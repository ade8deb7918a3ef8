/** Numbers of queries since the start, unless noted otherwise. */
export interface Counters {
  /** Over UDP and TCP. */
  queries: number;
  overTcp: number;
  /** No whole header, or a response instead of a query: not answered. */
  dropped: number;
  /** Answered with the code of their fault. */
  malformed: number;
  /** From addresses outside the LAN: not answered, since the address may be forged. */
  unauthorizedClients: number;
  /** For what is not served, such as a zone transfer. */
  refused: number;
  /** Answered from the local zone. */
  local: number;
  /** Special-use names (RFC 6761) that are in no local record. */
  specialUse: number;
  blocked: number;
  /** Answered by a custom rule with another name or address. */
  rewritten: number;
  quarantined: number;
  rebindingBlocked: number;
  cacheHits: number;
  /** Answered from the cache after the TTL, because no upstream resolver responded. */
  stale: number;
  /** Sent to upstream resolvers. */
  upstreamQueries: number;
  /** Joined a lookup of the same name that was running. */
  coalesced: number;
  /** Cache entries that were looked up again before their end. */
  prefetched: number;
  /** Lookups that no upstream resolver answered. */
  failed: number;
  /** Left unanswered because too many were pending. */
  shed: number;
  /** Responses that were truncated, to be queried again over TCP. */
  truncated: number;
}

/** Counters at zero. */
export function newCounters(): Counters {
  return {
    queries: 0,
    overTcp: 0,
    dropped: 0,
    malformed: 0,
    unauthorizedClients: 0,
    refused: 0,
    local: 0,
    specialUse: 0,
    blocked: 0,
    rewritten: 0,
    quarantined: 0,
    rebindingBlocked: 0,
    cacheHits: 0,
    stale: 0,
    upstreamQueries: 0,
    coalesced: 0,
    prefetched: 0,
    failed: 0,
    shed: 0,
    truncated: 0,
  };
}
