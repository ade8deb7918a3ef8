export type Verdict = "accept" | "drop" | "reject";

export interface ReachEnd {
  readonly kind: "device" | "router" | "internet" | "address";
  readonly name: string;
  readonly identity: string | null;
  readonly address: string | null;
  readonly link: string | null;
}

export interface ReachRule {
  readonly words: string;
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
  readonly because: string;
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
  readonly holds: boolean;
  readonly verdict: Verdict;
  readonly because: string;
}
