/** A list that many people use, as a choice of the form. */
export interface KnownList {
  readonly name: string;
  /** What it blocks, in a few words. */
  readonly about: string;
  readonly uri: string;
  readonly category: string;
}

const HAGEZI = "https://cdn.jsdelivr.net/gh/hagezi/dns-blocklists@latest/domains";

/** Well-known lists, those with few false positives first. The router downloads what is chosen. */
export const KNOWN_LISTS: readonly KnownList[] = [
  {
    name: "OISD small",
    about: "advertising, rarely breaks pages",
    uri: "https://small.oisd.nl/",
    category: "Advertising",
  },
  {
    name: "HaGeZi Light",
    about: "advertising and tracking, basic",
    uri: `${HAGEZI}/light.txt`,
    category: "Advertising",
  },
  {
    name: "HaGeZi Pro",
    about: "advertising, tracking and fraud, extended",
    uri: `${HAGEZI}/pro.txt`,
    category: "Advertising",
  },
  {
    name: "OISD big",
    about: "advertising, tracking, malware",
    uri: "https://big.oisd.nl/",
    category: "Advertising",
  },
  {
    name: "StevenBlack hosts",
    about: "advertising and malware",
    uri: "https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts",
    category: "Advertising",
  },
  {
    name: "AdGuard DNS filter",
    about: "advertising and tracking",
    uri: "https://adguardteam.github.io/AdGuardSDNSFilter/Filters/filter.txt",
    category: "Advertising",
  },
  {
    name: "Peter Lowe’s list",
    about: "advertising, small",
    uri: "https://pgl.yoyo.org/adservers/serverlist.php?hostformat=hosts&showintro=0" +
      "&mimetype=plaintext",
    category: "Advertising",
  },
  {
    name: "URLhaus",
    about: "sites that distribute malware",
    uri: "https://urlhaus.abuse.ch/downloads/hostfile/",
    category: "Malware",
  },
  {
    name: "Phishing Army",
    about: "phishing",
    uri: "https://phishing.army/download/phishing_army_blocklist_extended.txt",
    category: "Phishing",
  },
  {
    name: "HaGeZi Gambling",
    about: "gambling",
    uri: `${HAGEZI}/gambling.txt`,
    category: "Gambling",
  },
  {
    name: "OISD NSFW",
    about: "sites for adults",
    uri: "https://nsfw.oisd.nl/",
    category: "Adult",
  },
];
