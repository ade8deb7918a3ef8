import { parseAddress } from "../../../core/net/net.ts";
import { domainName } from "../names.ts";

/** Names of every machine itself, which hosts files begin with. */
const OWN = new RegExp(
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
 * What may follow the name of an AdBlock rule and leaves its meaning for a resolver as it is: the end
 * of the address, and options.
 */
const REST = /^\|?(\$(important|all)(,(important|all))*)?$/;

/** Longest line that is looked at. */
const LONGEST_LINE = 4096;

/** What a line of a list says. */
export interface ListLine {
  /** Names in the one text of {@link domainName}. */
  readonly names: readonly string[];
  /** They are exceptions: this list does not block them, nor what is below them. */
  readonly exception: boolean;
  /** Words that are no use to a resolver; 1 for a whole line that is none. */
  readonly skipped: number;
}

const NOTHING: ListLine = { names: [], exception: false, skipped: 0 };
const SKIPPED: ListLine = { ...NOTHING, skipped: 1 };

/**
 * Reads a line of a hosts file, of a list of domains or of AdBlock rules; the forms may be mixed.
 * Comments and names of one's own machine say nothing. What a resolver cannot do, such as a rule about
 * parts of pages, is skipped; in a hosts file this is a word, and the others of its line count.
 */
export function parseLine(text: string): ListLine {
  if (text.length > LONGEST_LINE) return SKIPPED;
  // This takes a byte order mark off as well.
  const line = text.trim();
  if (line === "" || line.startsWith("#") || line.startsWith("!")) return NOTHING;
  if (line.startsWith("[") && line.endsWith("]")) return NOTHING;
  if (line.startsWith("||")) return rule(line.slice(2), false);
  if (line.startsWith("@@||")) return rule(line.slice(4), true);
  const space = line.search(/\s/);
  return space > 0 && isAddress(line.slice(0, space)) ? hosts(line.slice(space + 1)) : domain(line);
}

function rule(text: string, exception: boolean): ListLine {
  const end = text.indexOf("^");
  if (end < 0 || !REST.test(text.slice(end + 1))) return SKIPPED;
  const name = nameIn(text.slice(0, end));
  return name === null ? SKIPPED : { names: [name], exception, skipped: 0 };
}

/** An interface may stand behind it (`fe80::1%lo0`), and short lists write `0` for 0.0.0.0. */
function isAddress(word: string): boolean {
  return word === "0" || parseAddress(word.replace(/%.*/, "")) !== null;
}

/** The names behind an address, up to a comment (hosts(5)). */
function hosts(words: string): ListLine {
  const names: string[] = [];
  let skipped = 0;
  for (const word of words.replace(/#.*/s, "").split(/\s+/)) {
    const name = domainName(word);
    if (word === "" || (name !== null && OWN.test(name))) continue;
    if (isOthers(name)) names.push(name);
    else skipped++;
  }
  return { names, exception: false, skipped };
}

/**
 * A name alone, `*.` or a dot before it or none. A comment has a blank before it: without one it is a
 * rule about a part of a page.
 */
function domain(line: string): ListLine {
  const name = domainName(line.replace(/\s+#.*/s, "").replace(/^\*?\.(?=.)/, ""));
  if (name !== null && OWN.test(name)) return NOTHING;
  return isOthers(name) ? { names: [name], exception: false, skipped: 0 } : SKIPPED;
}

/** True for a name with a dot in it: a slip must not block a whole top-level domain. */
function isOthers(name: string | null): name is string {
  return name !== null && name.includes(".") && parseAddress(name) === null;
}

function nameIn(word: string): string | null {
  const name = domainName(word);
  return name === null || parseAddress(name) !== null ? null : name;
}
