import { z } from "zod";
import { Ip } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { orBlank, Resolver } from "../../devices/schema.ts";

/** Upstream resolvers that one list may hold. */
export const MOST_PROVIDERS = 15;

/** Address of a machine that answers queries; a resolver on the router itself may be meant. */
export const UpstreamAddress = Resolver.refine((text) => {
  const address = parseAddress(text);
  if (address === null) return true;
  const first = Number(address.value >> (address.family === 4 ? 24n : 120n));
  return address.family === 4 ? first > 0 && first < 224 : address.value > 0n && first !== 0xff;
}, { error: "Write the address of one resolver, such as 9.9.9.9" })
  .transform((text) => formatAddress(parseAddress(text)!));

/**
 * Name in the certificate of a resolver that is asked over TLS (RFC 7858): two labels or more, the
 * last of letters. Yields lower case without a final dot.
 */
export const TlsHost = z.string().trim().toLowerCase()
  .transform((text) => text.endsWith(".") ? text.slice(0, -1) : text)
  .pipe(
    z.string().max(253, { error: "Use at most 253 characters" }).regex(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/,
      { error: "Write the name in the resolver's certificate, such as dns.quad9.net" },
    ),
  );

/** A resolver that is asked for what is not known at home. */
export const Provider = z.object({
  IPAddress: UpstreamAddress,
  /** "" only when TLS is off. */
  TLSHost: orBlank(TlsHost).default(""),
  DisableTls: z.boolean({ error: "Write true or false" }).default(false),
}).superRefine(({ TLSHost, DisableTls }, context) => {
  if (DisableTls === (TLSHost === "")) return;
  context.addIssue({
    code: "custom",
    path: ["TLSHost"],
    message: DisableTls
      ? "Leave the TLS host empty, or ask over TLS"
      : "Write the name in the resolver's certificate, such as dns.quad9.net",
  });
}).meta({ id: "DnsProvider" });
export type Provider = z.output<typeof Provider>;

/** Resolvers in the order in which they are asked, each once. */
export const Providers = z.array(Provider)
  .max(MOST_PROVIDERS, { error: `Name at most ${MOST_PROVIDERS} resolvers` })
  .superRefine((list, context) => {
    const seen = new Set<string>();
    list.forEach(({ IPAddress }, index) => {
      if (seen.has(IPAddress)) {
        context.addIssue({
          code: "custom",
          path: [index, "IPAddress"],
          message: `${IPAddress} stands in the list twice`,
        });
      }
      seen.add(IPAddress);
    });
  });

/** Whether the resolvers that come with an uplink's lease are asked: see the documentation of DNS. */
export const ProviderResolvers = z.enum(["never", "fallback", "first"], {
  error: "Write never, fallback or first",
});

const SomeProviders = Providers.min(1, { error: "Name at least one resolver" });

/**
 * Who is asked for names of the outside: everyone's resolvers, and those of devices with the policy
 * `dns:family`. The single fields are the first entry of each list, as older clients know it; a TLS
 * host that is not used stays there.
 */
export const DnsSettings = z.object({
  UpstreamTLSHost: orBlank(TlsHost),
  UpstreamIPAddress: UpstreamAddress,
  TlsDisable: z.boolean(),
  UpstreamFamilyTLSHost: orBlank(TlsHost),
  UpstreamFamilyIPAddress: UpstreamAddress,
  DisableFamilyTls: z.boolean(),
  UpstreamProviders: SomeProviders,
  FamilyProviders: SomeProviders,
  ProviderResolvers: ProviderResolvers.default("never"),
});
export type DnsSettings = z.output<typeof DnsSettings>;

/** The names of labels, digits and hyphens that people give (RFC 1123 2.1); yields lower case. */
export const Hostname = z.string().trim().toLowerCase()
  .transform((text) => text.endsWith(".") ? text.slice(0, -1) : text)
  .pipe(
    z.string().max(253, { error: "Use at most 253 characters" }).regex(
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
      { error: "Write a host name of letters, digits and hyphens, such as printer.lan" },
    ),
  );

/**
 * An address at home: private (RFC 1918, RFC 4193) or shared (RFC 6598). Yields its canonical text.
 */
export const HomeAddress = Ip.refine(isHome, {
  error: "Write a private address, such as 192.168.2.10",
}).transform((text) => formatAddress(parseAddress(text)!));

function isHome(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return true;
  if (address.family === 6) return address.value >> 121n === 0xfcn >> 1n;
  const value = Number(address.value);
  const within = (first: number, prefix: number): boolean =>
    Math.floor(value / 2 ** (32 - prefix)) === Math.floor(first / 2 ** (32 - prefix));
  return within(0x0a000000, 8) || within(0xac100000, 12) || within(0xc0a80000, 16) ||
    within(0x64400000, 10);
}

/** A name that somebody gave an address at home. */
export const HostMapping = z.object({ Hostname, IPAddress: HomeAddress }).meta({
  id: "HostMapping",
});
export type HostMapping = z.output<typeof HostMapping>;

/** Names that one router may hold beside those of devices. */
export const MOST_HOSTNAMES = 10_000;

/** All names that people gave, sorted by name, each once. */
export const HostMappings = z.array(HostMapping).max(MOST_HOSTNAMES, {
  error: `Name at most ${MOST_HOSTNAMES} hosts`,
});
export type HostMappings = readonly HostMapping[];
