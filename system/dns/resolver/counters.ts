/** What happened since the start, each a number of questions unless said. */
export interface Counters {
  /** All that came, over UDP and TCP. */
  queries: number;
  overTcp: number;
  /** No whole header, or an answer where a question should be: not answered. */
  dropped: number;
  /** Answered with the code of their fault. */
  malformed: number;
  /** From addresses that may not ask: not answered, so that nobody is sent what they forged. */
  strangers: number;
  /** For what is not told. */
  refused: number;
  /** Answered by names of home. */
  local: number;
  /** Of names that are never asked outside and not known at home. */
  kept: number;
  blocked: number;
  overridden: number;
  quarantined: number;
  rebound: number;
  /** Answered from memory. */
  remembered: number;
  /** Answered from memory past its time, because no resolver answered. */
  stale: number;
  /** Asked outside. */
  asked: number;
  /** Joined one that was being asked. */
  joined: number;
  /** Asked anew before its time was over. */
  renewed: number;
  /** That no resolver answered. */
  failed: number;
  /** Left unanswered because too many were being worked on. */
  shed: number;
  /** Answers cut to their question, to be asked again over TCP. */
  truncated: number;
}

/** Counters at zero. */
export function newCounters(): Counters {
  return {
    queries: 0,
    overTcp: 0,
    dropped: 0,
    malformed: 0,
    strangers: 0,
    refused: 0,
    local: 0,
    kept: 0,
    blocked: 0,
    overridden: 0,
    quarantined: 0,
    rebound: 0,
    remembered: 0,
    stale: 0,
    asked: 0,
    joined: 0,
    renewed: 0,
    failed: 0,
    shed: 0,
    truncated: 0,
  };
}
