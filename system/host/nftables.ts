import { Problem } from "../core/problem.ts";

/** Hands scripts to nftables. Each script is one transaction: all of it, or nothing. */
export interface Nft {
  readonly way: "library" | "binary";
  /** Throws Problem 502 with nftables' own words when it refuses. */
  run(script: string): Promise<void>;
  /** Null when nftables would take the script, else its words; nothing is changed. */
  check(script: string): Promise<string | null>;
  /** The text of the whole ruleset without the elements of its sets. */
  outline(): Promise<string>;
  close(): Promise<void>;
}

/** The answer to a script that nftables does not take. */
export function refused(words: string): Problem {
  return new Problem(502, `nftables refused: ${words}`);
}
