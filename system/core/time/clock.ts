/** Time, so that tests can pass their own. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once after so many milliseconds; the answer takes that back. */
  after(milliseconds: number, run: () => void): () => void;
}
