/** Lists of names read plainly, one character after the other, to hold the router's own reading against. */

/** What a whole list says. */
export interface NaiveList {
  readonly blocked: readonly string[];
  readonly excepted: readonly string[];
  /** Lines, and words behind an address, that are no use. */
  readonly skipped: number;
}

const OWN: readonly string[] = [
  ...["localhost", "localhost4", "localhost6", "local", "broadcasthost", "0.0.0.0"],
  ...["localhost.localdomain", "localhost4.localdomain4", "localhost6.localdomain6"],
  ...["ip6-localhost", "ip6-loopback", "ip6-localnet", "ip6-mcastprefix"],
  ...["ip6-allnodes", "ip6-allrouters", "ip6-allhosts"],
];

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_-";

/** A query name; null for what is none. */
function nameOf(word: string): string | null {
  let text = word;
  if ([...word].some((c) => c > "\x7f")) {
    // The address bar's own reading of a host in another script; before a label, for it takes a last
    // one of digits for an address.
    const url = `http://${word.replace(/[.。．｡]$/, "")}.test/`;
    if (/[\s/?#@:\\%[\]]/.test(word) || !URL.canParse(url)) return null;
    text = new URL(url).hostname.slice(0, -".test".length);
  } else if (text.endsWith(".")) text = text.slice(0, -1);
  text = text.toLowerCase();
  if (text.length > 253) return null;
  for (const label of text.split(".")) {
    if (label.length < 1 || label.length > 63) return null;
    if (label.startsWith("-") || label.endsWith("-")) return null;
    for (const c of label) if (!ALPHABET.includes(c)) return null;
  }
  return text;
}

function isV4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 &&
    parts.every((part) =>
      /^\d+$/.test(part) && String(Number(part)) === part && Number(part) < 256
    );
}

function isAddress(word: string): boolean {
  const bare = word.split("%")[0]!;
  return word === "0" || isV4(bare) || bare.includes(":") && URL.canParse(`http://[${bare}]/`);
}

/** A rule without the note behind it. */
function withoutNote(rule: string): string {
  for (let at = 1; at < rule.length; at++) {
    const isNote = "#!".includes(rule[at]!) && /\s/.test(rule[at - 1]!);
    if (isNote) return rule.slice(0, at).trimEnd();
  }
  return rule;
}

/** Reads a list that a person could read the same way. */
export function parseNaively(text: string): NaiveList {
  const blocked: string[] = [], excepted: string[] = [];
  let skipped = 0;
  const isUse = (name: string | null): name is string => name !== null && !isV4(name);
  const take = (word: string): void => {
    const name = nameOf(word);
    if (name !== null && OWN.includes(name)) return;
    if (isUse(name) && name.includes(".")) blocked.push(name);
    else skipped++;
  };
  const takeRule = (rule: string, into: string[]): void => {
    const text = withoutNote(rule);
    let end = 0;
    while (end < text.length && !"^|$/:?".includes(text[end]!)) end++;
    let word = text.slice(0, end), options = text.slice(end);
    if (word.startsWith("*.") && word !== "*.") word = word.slice(2);
    const isWhole = options.startsWith("^");
    for (const one of ["^", "*", "|"]) if (options.startsWith(one)) options = options.slice(1);
    const name = nameOf(word);
    const known = options === "" ||
      (options.startsWith("$") &&
        options.slice(1).split(",").every((one) => one === "important" || one === "all"));
    if (known && isUse(name) && (isWhole || name.includes("."))) into.push(name);
    else skipped++;
  };
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const first = line.charAt(0);
    if (raw.length > 4096) skipped++;
    else if (line === "" || first === "#" || first === "!") continue;
    else if (first === "[" && line.endsWith("]")) continue;
    else if (line.startsWith("||")) takeRule(line.slice(2), blocked);
    else if (line.startsWith("@@||")) takeRule(line.slice(4), excepted);
    else {
      const words = line.split(/\s/).filter((word) => word !== "");
      if (words.length > 1 && isAddress(words[0]!)) {
        const names: string[] = [];
        for (const word of words.slice(1)) {
          const [before, ...comment] = word.split("#");
          if (before !== "") names.push(before!);
          if (comment.length > 0) break;
        }
        names.forEach(take);
      } else {
        const comment = words.findIndex((word, at) => at > 0 && /^[#!]/.test(word));
        const entry = comment < 0 ? words : words.slice(0, comment);
        const word = entry.length === 1 ? entry[0]! : "";
        const wild = ["*.", "."].find((start) => word.startsWith(start) && word !== start);
        take(wild === undefined ? word : word.slice(wild.length));
      }
    }
  }
  return { blocked, excepted, skipped };
}
