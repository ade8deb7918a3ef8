import { Problem } from "../../core/errors/problem.ts";

/** Hands scripts to nftables. Each script is one transaction: all of it, or nothing. */
export interface Nft {
  readonly way: "library" | "binary";
  /** Throws Problem 502 with nftables' own words when it refuses. */
  run(script: string): Promise<void>;
  /** Null when nftables would take the script, else its words; nothing is changed. */
  check(script: string): Promise<string | null>;
  /** The text of the whole ruleset without the elements of its sets. */
  outline(): Promise<string>;
  /**
   * The text of `table inet filter` or `map inet filter dns_access`, without counters and with
   * priorities as numbers; null when there is no such thing.
   */
  list(what: readonly string[], options?: { readonly terse?: boolean }): Promise<string | null>;
  close(): Promise<void>;
}

/** The answer to a script that nftables does not take. */
export function refused(words: string): Problem {
  return new Problem(502, `nftables refused: ${words}`);
}

/** True when nftables' words say that what was asked for is not there. */
export function isAbsent(words: string): boolean {
  return words.includes("No such file or directory");
}
