import { t } from "../../../text/language.ts";

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
    about: t("advertising, rarely breaks pages"),
    uri: "https://small.oisd.nl/",
    category: t("Advertising"),
  },
  {
    name: "HaGeZi Light",
    about: t("advertising and tracking, basic"),
    uri: `${HAGEZI}/light.txt`,
    category: t("Advertising"),
  },
  {
    name: "HaGeZi Pro",
    about: t("advertising, tracking and fraud, extended"),
    uri: `${HAGEZI}/pro.txt`,
    category: t("Advertising"),
  },
  {
    name: "OISD big",
    about: t("advertising, tracking, malware"),
    uri: "https://big.oisd.nl/",
    category: t("Advertising"),
  },
  {
    name: "StevenBlack hosts",
    about: t("advertising and malware"),
    uri: "https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts",
    category: t("Advertising"),
  },
  {
    name: "AdGuard DNS filter",
    about: t("advertising and tracking"),
    uri: "https://adguardteam.github.io/AdGuardSDNSFilter/Filters/filter.txt",
    category: t("Advertising"),
  },
  {
    name: "Peter Lowe’s list",
    about: t("advertising, small"),
    uri: "https://pgl.yoyo.org/adservers/serverlist.php?hostformat=hosts&showintro=0" +
      "&mimetype=plaintext",
    category: t("Advertising"),
  },
  {
    name: "URLhaus",
    about: t("sites that distribute malware"),
    uri: "https://urlhaus.abuse.ch/downloads/hostfile/",
    category: t("Malware"),
  },
  {
    name: "Phishing Army",
    about: t("phishing"),
    uri: "https://phishing.army/download/phishing_army_blocklist_extended.txt",
    category: t("Phishing"),
  },
  {
    name: "HaGeZi Gambling",
    about: t("gambling"),
    uri: `${HAGEZI}/gambling.txt`,
    category: t("Gambling"),
  },
  {
    name: "OISD NSFW",
    about: t("sites for adults"),
    uri: "https://nsfw.oisd.nl/",
    category: t("Adult"),
  },
];
