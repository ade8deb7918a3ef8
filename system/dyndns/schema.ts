import * as z from "zod";
import { inLowerCase, line } from "../core/net/grammar.ts";
import { isUnroutable, parseAddress, unmapped } from "../core/net/net.ts";
import { orBlank } from "../devices/schema.ts";

/** Providers by the names that existing files use; `Custom` is any other by its update URL. */
const PROVIDERS = [
  ...["Cloudflare", "DuckDNS", "Dyn", "Dynu", "Dynv6", "HE", "NoIP", "OVH", "Strato", "deSEC"],
  "Custom",
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Seconds between two looks at the address. */
const INTERVAL = { least: 60, most: 86_400, usual: 300 } as const;
/** Domains, names below each, and sources of the address. */
const MAX_DOMAINS = 16, MAX_NAMES = 16, MAX_URLS = 8;

/** What stands for a secret in every response; sent back it means "unchanged". */
export const MASK = "**";

const KNOWN = new Map(PROVIDERS.map((name) => [name.toLowerCase(), name]));

/** A provider in any case; "" turns dynamic DNS off. */
const ProviderName = z.string().trim().max(32).transform((text, context) => {
  if (text === "") return "" as const;
  const name = KNOWN.get(text.toLowerCase());
  if (name !== undefined) return name;
  context.addIssue({
    code: "custom",
    message: `Write one of ${PROVIDERS.join(", ")}; use Custom with update_url for any other`,
  });
  return z.NEVER;
}).meta({ pattern: "^[A-Za-z0-9 ]*$", examples: ["DuckDNS"] });

/** RFC 1123 2.1: labels of letters, digits and hyphens, at most 253 characters. */
const DomainName = inLowerCase(
  z.string().trim().max(253).regex(
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
    { error: "Write a domain, such as example.org" },
  ),
);

/** A name below a domain; `@` or "" is the domain itself. */
const SubDomain = inLowerCase(
  z.string().trim().max(190).regex(
    /^(@|\*|([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?|)$/,
    { error: "Write a name below the domain, such as home, or @ for the domain itself" },
  ),
);

/** True for a host of this machine itself, which no provider is. */
function isOwn(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  const address = parseAddress(bare);
  if (address === null) return bare === "localhost" || bare.endsWith(".localhost");
  const plain = unmapped(address);
  if (plain.family === 4) {
    const value = Number(plain.value);
    // Link-local: RFC 3927.
    return isUnroutable(value) || value >>> 16 === 0xa9fe;
  }
  // Link-local (RFC 4291 2.5.6), and IPv4 in other forms.
  return plain.value <= 1n || plain.value >> 118n === 0x3fan || plain.value >> 32n === 0n;
}

/** A web address outside this machine, without a password in it. */
function webAddress(placeholders: boolean): z.ZodType<string> {
  return z.string().trim().max(1024).refine((text) => {
    if (text === "") return true;
    const plain = placeholders ? text.replace(/\{(host|domain|ip|token)\}/g, "x") : text;
    const url = /[\s"\\{}<>^`|]/.test(plain) || /\p{Cc}/u.test(plain) ? null : URL.parse(plain);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
      url.password === "" && !isOwn(url.hostname);
  }, {
    error: placeholders
      ? "Write a web address with {host} and {ip}, such as https://ddns.example/update?name={host}&ip={ip}; " +
        "a password goes into password, a token into login_token as {token}"
      : "Write a web address that answers with the caller's address, such as https://api.ipify.org",
  });
}

/** A secret that goes into one line of a request. */
const Secret = z.string().trim()
  .max(255, { error: "Use at most 255 characters" })
  .refine((text) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    error: "Use no line breaks or control characters",
  });

/** A domain and the names in it that follow the router's address. */
const Domain = z.object({
  domain_name: DomainName,
  sub_domains: z.array(SubDomain).max(MAX_NAMES, { error: `List at most ${MAX_NAMES} names` })
    .default([]),
}).meta({ id: "DyndnsDomain" });

/** `configs/dyndns/godyndns.json`: the settings of dynamic DNS. */
export const Dyndns = z.object({
  provider: ProviderName.default(""),
  /** User name at the provider. */
  email: line(254).default(""),
  password: Secret.default(""),
  login_token: Secret.default(""),
  domains: z.array(Domain).max(MAX_DOMAINS, { error: `List at most ${MAX_DOMAINS} domains` })
    .default([]),
  /** Web pages that answer with the caller's address; none: the address of the first uplink. */
  ip_urls: z.array(webAddress(false)).max(MAX_URLS, { error: `List at most ${MAX_URLS} pages` })
    .default([]).transform((list) => [...new Set(list)].filter((url) => url !== "")),
  ip_type: z.enum(["", "IPv4"], { error: "Only IPv4 is kept up to date; write IPv4" }).default(""),
  /** Seconds between two looks at the address. */
  interval: z.int().default(INTERVAL.usual).transform((seconds) =>
    seconds <= 0 ? INTERVAL.usual : Math.min(Math.max(seconds, INTERVAL.least), INTERVAL.most)
  ),
  /** Web address that is called for Custom. */
  update_url: webAddress(true).default(""),
});
export type Dyndns = z.output<typeof Dyndns>;

/** No dynamic DNS. */
export const NO_DYNDNS: Dyndns = Dyndns.parse({});

/** What `PUT /plugins/dyndns/config` takes; fields of existing clients that do nothing are allowed. */
export const DyndnsRequest = z.object({
  ...Dyndns.shape,
  password: Secret.default("").describe("** leaves the stored one"),
  login_token: Secret.default("").describe("** leaves the stored one"),
  interval: z.int().default(INTERVAL.usual).describe("Seconds, 60 to 86400"),
  ip_urls: z.array(z.string().max(1024)).optional().describe(
    "Pages that answer with the caller's address; none: the address of the first uplink",
  ),
  ip_url: z.string().max(1024).optional().describe("Older name of the first of ip_urls"),
  ipv6_url: z.string().max(1024).optional().describe("Ignored: only IPv4 is kept up to date"),
  socks5: z.literal("", { error: "No proxy is supported; leave it empty" }).optional(),
  resolver: orBlank(line(253)).optional().describe("Ignored: the router's own resolver is used"),
  run_once: z.boolean().optional().describe("Ignored"),
}).meta({ id: "DyndnsRequest" });
export type DyndnsRequest = z.output<typeof DyndnsRequest>;

/** The settings as responses show them, with the fields that existing clients know. */
export const DyndnsAnswer = z.object({
  provider: z.enum(["", ...PROVIDERS]),
  email: z.string(),
  password: z.string().describe("** where there is one"),
  login_token: z.string().describe("** where there is one"),
  domains: z.array(z.object({ domain_name: z.string(), sub_domains: z.array(z.string()) })),
  ip_urls: z.array(z.string()),
  ip_url: z.string(),
  ipv6_url: z.string(),
  ip_type: z.enum(["", "IPv4"]),
  interval: z.int(),
  socks5: z.string(),
  resolver: z.string(),
  run_once: z.boolean(),
  update_url: z.string(),
}).meta({ id: "DyndnsConfig" });
export type DyndnsAnswer = z.output<typeof DyndnsAnswer>;

/** How a name stands at the provider. */
export const DyndnsResult = z.object({
  Host: z.string().max(253),
  Address: z.string().max(64).describe("Address that it was last set to; empty before"),
  Time: z.int().describe("Unix seconds of the last attempt; 0 before"),
  OK: z.boolean(),
  Message: z.string().max(400).describe("What the provider said, in words"),
}).meta({ id: "DyndnsResult" });
export type DyndnsResult = z.output<typeof DyndnsResult>;

/** How dynamic DNS stands. */
export const DyndnsStatus = z.object({
  Items: z.array(DyndnsResult),
  Address: z.string().describe("The router's public IPv4 address, as far as it is known"),
}).meta({ id: "DyndnsStatus" });
export type DyndnsStatus = z.output<typeof DyndnsStatus>;

/** A name that follows the router's address. */
export const DyndnsHost = z.object({ host: z.string().max(253), domain: z.string().max(253) });
export type DyndnsHost = z.output<typeof DyndnsHost>;

/** What uplinkd works from. */
export const DyndnsPlan = z.object({
  tag: z.string(),
  decided: z.boolean(),
  settings: z.object({
    provider: z.enum(PROVIDERS),
    email: z.string(),
    password: z.string(),
    login_token: z.string(),
    hosts: z.array(DyndnsHost),
    ip_urls: z.array(z.string()),
    interval: z.int(),
    update_url: z.string(),
  }).nullable(),
  /** Public address of the first uplink; "" where it has none. */
  address: z.string(),
  /** Counts requests to update at once. */
  refresh: z.int(),
}).meta({ id: "DyndnsPlan" });
export type DyndnsPlan = z.output<typeof DyndnsPlan>;
export type DyndnsAccount = NonNullable<DyndnsPlan["settings"]>;

/** What uplinkd reports. */
export const DyndnsReport = z.object({
  items: z.array(DyndnsResult),
  address: z.string().max(64),
  refresh: z.int(),
}).meta({ id: "DyndnsReport" });
export type DyndnsReport = z.output<typeof DyndnsReport>;
