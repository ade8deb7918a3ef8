import { parseAddress } from "../../../core/net/net.ts";
import { domainName } from "../names.ts";

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
 * What may follow the name of an AdBlock rule without changing its meaning for a resolver: an end
 * anchor and some options.
 */
const RULE_SUFFIX = /^\|?(\$(important|all)(,(important|all))*)?$/;

/** Longer lines are skipped. */
const MAX_LINE_LENGTH = 4096;

/** A parsed line of a list. */
export interface ListLine {
  /** Canonical names of {@link domainName}. */
  readonly domains: readonly string[];
  /** True for exceptions, which this list does not block, nor their subdomains. */
  readonly exception: boolean;
  /** Number of words that are unsupported or invalid; 1 for a whole line. */
  readonly skipped: number;
}

const IGNORED: ListLine = { domains: [], exception: false, skipped: 0 };
const SKIPPED: ListLine = { ...IGNORED, skipped: 1 };

/**
 * Parses a line of a hosts file, a domain list or AdBlock rules; the formats may be mixed. Comments and
 * names of the machine itself are ignored. What a resolver cannot apply, such as a cosmetic rule, is
 * skipped; in a hosts file only the word is skipped and the rest of its line counts.
 */
export function parseLine(text: string): ListLine {
  if (text.length > MAX_LINE_LENGTH) return SKIPPED;
  // This removes a byte order mark as well.
  const line = text.trim();
  if (line === "" || line.startsWith("#") || line.startsWith("!")) return IGNORED;
  if (line.startsWith("[") && line.endsWith("]")) return IGNORED;
  if (line.startsWith("||")) return rule(line.slice(2), false);
  if (line.startsWith("@@||")) return rule(line.slice(4), true);
  const space = line.search(/\s/);
  return space > 0 && isAddress(line.slice(0, space)) ? hosts(line.slice(space + 1)) : domain(line);
}

function rule(text: string, exception: boolean): ListLine {
  const end = text.indexOf("^");
  if (end < 0 || !RULE_SUFFIX.test(text.slice(end + 1))) return SKIPPED;
  const name = nameIn(text.slice(0, end));
  return name === null ? SKIPPED : { domains: [name], exception, skipped: 0 };
}

/** It may have a zone (`fe80::1%lo0`), and some lists write `0` for 0.0.0.0. */
function isAddress(word: string): boolean {
  return word === "0" || parseAddress(word.replace(/%.*/, "")) !== null;
}

/** The names after an address, up to a comment (hosts(5)). */
function hosts(words: string): ListLine {
  const domains: string[] = [];
  let skipped = 0;
  for (const word of words.replace(/#.*/s, "").split(/\s+/)) {
    const name = domainName(word);
    if (word === "" || (name !== null && LOCALHOST_NAMES.test(name))) continue;
    if (isBlockable(name)) domains.push(name);
    else skipped++;
  }
  return { domains, exception: false, skipped };
}

/**
 * A single name, optionally after `*.` or a dot. A comment needs a blank before it: without one the line
 * is a cosmetic rule.
 */
function domain(line: string): ListLine {
  const name = domainName(line.replace(/\s+#.*/s, "").replace(/^\*?\.(?=.)/, ""));
  if (name !== null && LOCALHOST_NAMES.test(name)) return IGNORED;
  return isBlockable(name) ? { domains: [name], exception: false, skipped: 0 } : SKIPPED;
}

/** True for a name with a dot, so that a typo does not block a whole top-level domain. */
function isBlockable(name: string | null): name is string {
  return name !== null && name.includes(".") && parseAddress(name) === null;
}

function nameIn(word: string): string | null {
  const name = domainName(word);
  return name === null || parseAddress(name) !== null ? null : name;
}
