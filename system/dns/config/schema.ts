import * as z from "zod";
import { Ip } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { orBlank, Resolver } from "../../devices/schema.ts";

/** Upstream resolvers in one list. */
export const MAX_PROVIDERS = 15;

/** Address of a resolver. One of the router itself is refused elsewhere. */
export const UpstreamAddress = Resolver.refine((text) => {
  const address = parseAddress(text);
  if (address === null) return true;
  const first = Number(address.value >> (address.family === 4 ? 24n : 120n));
  return address.family === 4 ? first > 0 && first < 224 : address.value > 0n && first !== 0xff;
}, { error: "Enter the IP address of one resolver, such as 9.9.9.9" })
  .transform((text) => formatAddress(parseAddress(text)!));

/**
 * Name in the certificate of a resolver over TLS (RFC 7858): two labels or more, the last of letters.
 * Yields lower case without a final dot.
 */
export const TlsHost = z.string().trim().toLowerCase()
  .transform((text) => text.endsWith(".") ? text.slice(0, -1) : text)
  .pipe(
    z.string().max(253, { error: "Use at most 253 characters" }).regex(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/,
      { error: "Enter the name in the resolver's certificate, such as dns.quad9.net" },
    ),
  );

/** An upstream resolver. */
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
      ? "Leave the TLS host name empty, or enable TLS"
      : "Enter the name in the resolver's certificate, such as dns.quad9.net",
  });
}).meta({ id: "DnsProvider" });
export type Provider = z.output<typeof Provider>;

/** Upstream resolvers, each once. */
export const Providers = z.array(Provider)
  .max(MAX_PROVIDERS, { error: `Enter at most ${MAX_PROVIDERS} resolvers` })
  .superRefine((list, context) => {
    const seen = new Set<string>();
    list.forEach(({ IPAddress }, index) => {
      if (seen.has(IPAddress)) {
        context.addIssue({
          code: "custom",
          path: [index, "IPAddress"],
          message: `${IPAddress} is in the list twice`,
        });
      }
      seen.add(IPAddress);
    });
  });

/** When ISP resolvers, those of an uplink's DHCP lease, are used: see `docs/dns.md`. */
export const ProviderResolvers = z.enum(["never", "fallback", "first"], {
  error: "Write never, fallback or first",
});

const SomeProviders = Providers.min(1, { error: "Enter at least one resolver" });

/**
 * Upstream resolvers: the default ones, and those of devices with the policy `dns:family`. The single
 * fields are the first entry of each list, as older clients know it; an unused TLS host name stays
 * there.
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

/** A host name of letters, digits and hyphens (RFC 1123 2.1); yields lower case. */
export const Hostname = z.string().trim().toLowerCase()
  .transform((text) => text.endsWith(".") ? text.slice(0, -1) : text)
  .pipe(
    z.string().max(253, { error: "Use at most 253 characters" }).regex(
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
      { error: "Write a host name of letters, digits and hyphens, such as printer.lan" },
    ),
  );

/** A private (RFC 1918, RFC 4193) or shared (RFC 6598) address. Yields its canonical text. */
export const LanAddress = Ip.refine(isLanAddress, {
  error: "Write a private address, such as 192.168.2.10",
}).transform((text) => formatAddress(parseAddress(text)!));

function isLanAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return true;
  if (address.family === 6) return address.value >> 121n === 0xfcn >> 1n;
  const value = Number(address.value);
  const within = (first: number, prefix: number): boolean =>
    Math.floor(value / 2 ** (32 - prefix)) === Math.floor(first / 2 ** (32 - prefix));
  return within(0x0a000000, 8) || within(0xac100000, 12) || within(0xc0a80000, 16) ||
    within(0x64400000, 10);
}

/** A local DNS record. */
export const HostMapping = z.object({ Hostname, IPAddress: LanAddress }).meta({
  id: "HostMapping",
});
export type HostMapping = z.output<typeof HostMapping>;

/** Local DNS records of one router. */
export const MAX_HOSTNAMES = 10_000;

/** All local DNS records, sorted by name, each once. */
export const HostMappings = z.array(HostMapping).max(MAX_HOSTNAMES, {
  error: `There may be at most ${MAX_HOSTNAMES} local DNS records`,
});
export type HostMappings = readonly HostMapping[];
