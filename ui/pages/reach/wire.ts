export type Verdict = "accept" | "drop" | "reject";

export interface ReachEnd {
  readonly kind: "device" | "router" | "internet" | "address";
  readonly name: string;
  readonly identity: string | null;
  readonly address: string | null;
  readonly link: string | null;
}

export interface ReachRule {
  readonly description: string;
  readonly table: string;
  readonly chain: string;
  readonly set?: string;
  readonly key?: readonly string[];
  readonly outcome: Verdict | "continue" | "translate";
  readonly decides: boolean;
}

/** The answer of `GET /reach`. */
export interface ReachAnswer {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly rules: readonly ReachRule[];
  readonly from: ReachEnd;
  readonly to: ReachEnd;
}

/** A test with whether it holds now, as `GET /reach/tests` answers it. */
export interface ReachTestResult {
  readonly Name: string;
  readonly From: string;
  readonly To: string;
  readonly Protocol: string;
  readonly Port: string;
  readonly Expect: "accept" | "drop";
  readonly passes: boolean;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** A write that turns an answer round, as `GET /reach?suggest=true` proposes it. */
export interface ReachSuggestion {
  readonly summary: string;
  readonly method: "PUT" | "DELETE";
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** What it changes beside, in words. */
  readonly sideEffects: string;
  readonly allows: number;
  readonly denies: number;
  /** The address that the question is then to be put to, where it is another. */
  readonly to?: string;
}
