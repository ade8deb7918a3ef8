import { Problem } from "../../core/errors/problem.ts";

/** Runs scripts in nftables. Each script is one atomic transaction. */
export interface Nft {
  readonly backend: "library" | "binary";
  /** Throws Problem 502 with nftables' error when it refuses. */
  run(script: string): Promise<void>;
  /** Dry run: null when nftables accepts the script, else its error. */
  check(script: string): Promise<string | null>;
  /** The text of the whole ruleset without the elements of its sets. */
  outline(): Promise<string>;
  /**
   * The text of `table inet filter` or `map inet filter dns_access`, without counters and with
   * priorities as numbers; null when there is no such thing.
   */
  list(what: readonly string[], options?: { readonly terse?: boolean }): Promise<string | null>;
  /** The text of a table with the counters of its elements; null where there is none. */
  counted(family: string, table: string): Promise<string | null>;
  close(): Promise<void>;
}

/** The error for a script that nftables refused. */
export function refused(message: string): Problem {
  return new Problem(502, `nftables refused: ${message}`);
}

/** True for nftables' error of something that does not exist. */
export function isAbsent(message: string): boolean {
  return message.includes("No such file or directory");
}
