import { parseAddress } from "../../../core/net/net.ts";
import { domainName } from "../names.ts";
import type { SkipReasons } from "./skipped_lines.ts";

/** Why a line, or a word of a hosts file, is not used. */
export type SkipReason = keyof SkipReasons;

/** Names of the machine itself, which hosts files begin with. */
const LOCALHOST_NAMES = new RegExp(
  `^(${
    [
      "localhost[46]?(\\.localdomain[46]?)?",
      "local",
      "broadcasthost",
      "ip6-(localhost|loopback|localnet|mcastprefix|all(nodes|routers|hosts))",
      "0\\.0\\.0\\.0",
    ].join("|")
  })$`,
);

/**
 * What may follow the name of an AdBlock rule without changing its meaning for a resolver: the end of
 * the name, an anchor and some options.
 */
const RULE_SUFFIX = /^\^?\*?\|?(\$(important|all)(,(important|all))*)?$/;
/** A note behind a rule or a name; without a blank before it, it is part of the rule. */
const NOTE = /\s+[#!].*/s;

/** Longer lines are skipped. */
const MAX_LINE_LENGTH = 4096;

/** A parsed line of a list. */
export interface ListLine {
  /** Canonical names of {@link domainName}. */
  readonly domains: readonly string[];
  /** True for exceptions, which this list does not block, nor their subdomains. */
  readonly exception: boolean;
  /** True for `$important`: it holds against exceptions, an exception against important rules. */
  readonly important: boolean;
  /** Number of words that are unsupported or invalid; 1 for a whole line. */
  readonly skipped: number;
  /** Why; null when none is. */
  readonly reason: SkipReason | null;
}

const IGNORED: ListLine = {
  domains: [],
  exception: false,
  important: false,
  skipped: 0,
  reason: null,
};

function named(domains: readonly string[]): ListLine {
  return { ...IGNORED, domains };
}

function skippedFor(reason: SkipReason): ListLine {
  return { ...IGNORED, skipped: 1, reason };
}

/**
 * Parses a line of a hosts file, a domain list or AdBlock rules; the formats may be mixed. Comments and
 * names of the machine itself are ignored. What a resolver cannot apply, such as a cosmetic rule, is
 * skipped; in a hosts file only the word is skipped and the rest of its line counts.
 */
export function parseLine(text: string): ListLine {
  if (text.length > MAX_LINE_LENGTH) return skippedFor("name");
  // This removes a byte order mark as well.
  const line = text.trim();
  if (line === "" || line.startsWith("#") || line.startsWith("!")) return IGNORED;
  if (line.startsWith("[") && line.endsWith("]")) return IGNORED;
  if (line.startsWith("||")) return rule(line.slice(2), false);
  if (line.startsWith("@@||")) return rule(line.slice(4), true);
  const space = line.search(/\s/);
  return space > 0 && isAddress(line.slice(0, space)) ? hosts(line.slice(space + 1)) : domain(line);
}

/**
 * An AdBlock rule of a whole name. Without `^` it is a prefix (`||ads.example` also matches
 * `ads.example.com`), which lists that are made for resolvers do not mean.
 */
function rule(text: string, exception: boolean): ListLine {
  const line = text.replace(NOTE, "");
  const at = line.search(/[\^|$/:?]/), end = at < 0 ? line.length : at;
  const rest = line.slice(end), word = line.slice(0, end).replace(/^\*\.(?=.)/, "");
  if (/^[/:?]/.test(rest)) return skippedFor("path");
  if (!RULE_SUFFIX.test(rest)) return skippedFor(rest.includes("$") ? "option" : "path");
  if (word.includes("*")) return skippedFor("wildcard");
  const name = nameIn(word);
  if (name === null || (!rest.startsWith("^") && !name.includes("."))) return skippedFor("name");
  return { ...named([name]), exception, important: rest.includes("important") };
}

/** It may have a zone (`fe80::1%lo0`), and some lists write `0` for 0.0.0.0. */
function isAddress(word: string): boolean {
  return word === "0" || parseAddress(word.replace(/%.*/, "")) !== null;
}

/** The names after an address, up to a comment (hosts(5)). */
function hosts(text: string): ListLine {
  const domains: string[] = [];
  let skipped = 0;
  for (const word of text.replace(/#.*/s, "").split(/\s+/)) {
    const name = domainName(word);
    if (word === "" || (name !== null && LOCALHOST_NAMES.test(name))) continue;
    if (isBlockable(name)) domains.push(name);
    else skipped++;
  }
  return { ...named(domains), skipped, reason: skipped > 0 ? "name" : null };
}

/**
 * A single name, optionally after `*.` or a dot. A comment needs a blank before it: without one the line
 * is a cosmetic rule.
 */
function domain(line: string): ListLine {
  const word = line.replace(NOTE, "").replace(/^\*?\.(?=.)/, "");
  const name = domainName(word);
  if (name !== null && LOCALHOST_NAMES.test(name)) return IGNORED;
  if (isBlockable(name)) return named([name]);
  return skippedFor(reasonOf(word));
}

/** Why a line that is not a name is none. */
function reasonOf(line: string): SkipReason {
  if (/#[@?$%]*#/.test(line)) return "cosmetic";
  if (/^(@@|\||\/)/.test(line) || /[\^$]/.test(line)) return "pattern";
  if (line.includes("*")) return "wildcard";
  return line.includes("/") ? "path" : "name";
}

/** True for a name with a dot, so that a typo does not block a whole top-level domain. */
function isBlockable(name: string | null): name is string {
  return name !== null && name.includes(".") && parseAddress(name) === null;
}

function nameIn(word: string): string | null {
  const name = domainName(word);
  return name === null || parseAddress(name) !== null ? null : name;
}
