import { parseAddress } from "../../core/net.ts";
import { domainName } from "./names.ts";

/** Names of every machine itself, which hosts files begin with. */
const OWN = /^(localhost|localhost\.localdomain|local|broadcasthost|ip6-[a-z]+|0\.0\.0\.0)$/;

/** Options of an AdBlock rule that leave its meaning for a resolver as it is. */
const OPTIONS = /^\$(important|all)(,(important|all))*$/;

/** Longest line that is looked at. */
const LONGEST_LINE = 4096;

/** What a line of a list says. */
export interface ListLine {
  /** Names in the one text of {@link domainName}. */
  readonly names: readonly string[];
  /** They are exceptions: this list does not block them, nor what is below them. */
  readonly exception: boolean;
}

const NOTHING: ListLine = { names: [], exception: false };

/**
 * Reads a line of a hosts file, of a list of domains or of AdBlock rules; the forms may be mixed.
 * Comments and names of one's own machine say nothing. Answers null for what a resolver cannot do,
 * such as a rule about parts of pages.
 */
export function parseLine(text: string): ListLine | null {
  if (text.length > LONGEST_LINE) return null;
  const line = text.trim();
  if (line === "" || line.startsWith("#") || line.startsWith("!")) return NOTHING;
  if (line.startsWith("[") && line.endsWith("]")) return NOTHING;
  if (line.startsWith("||")) return rule(line.slice(2), false);
  if (line.startsWith("@@||")) return rule(line.slice(4), true);
  return words(line);
}

function rule(text: string, exception: boolean): ListLine | null {
  const end = text.indexOf("^");
  if (end < 0) return null;
  const options = text.slice(end + 1);
  if (options !== "" && !OPTIONS.test(options)) return null;
  const name = nameIn(text.slice(0, end));
  return name === null ? null : { names: [name], exception };
}

/** A line of words: an address and names, or one name. */
function words(line: string): ListLine | null {
  const hash = /\s#/.exec(line);
  const said = (hash === null ? line : line.slice(0, hash.index)).trim();
  const space = said.search(/\s/);
  if (space < 0) {
    const name = said.startsWith("*.") ? said.slice(2) : said;
    return OWN.test(name) ? NOTHING : single(name);
  }
  // An interface may stand behind the address: fe80::1%lo0.
  if (parseAddress(said.slice(0, space).replace(/%\w+$/, "")) === null) return null;
  const names: string[] = [];
  for (const word of said.slice(space + 1).trim().split(/\s+/)) {
    const name = OWN.test(word) ? null : single(word)?.names[0];
    if (name === undefined) return null;
    if (name !== null) names.push(name);
  }
  return { names, exception: false };
}

/** A name with a dot in it: a slip must not block a whole top-level domain. */
function single(word: string): ListLine | null {
  const name = nameIn(word);
  return name === null || !name.includes(".") ? null : { names: [name], exception: false };
}

function nameIn(word: string): string | null {
  const name = domainName(word);
  return name === null || parseAddress(name) !== null ? null : name;
}
