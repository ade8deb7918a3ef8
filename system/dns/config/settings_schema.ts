import { z } from "zod";
import { orBlank } from "../../devices/schema.ts";
import { DnsSettings, ProviderResolvers, Providers, TlsHost, UpstreamAddress } from "./schema.ts";

/** What is missing where a resolver is asked over TLS. */
export const CERTIFICATE = "Write the name in the resolver's certificate, such as dns.quad9.net";
const REQUIRED = ["UpstreamTLSHost", "UpstreamIPAddress", "TlsDisable"];

/**
 * The settings as they are sent. The first three are required, the switch under either name; what is
 * missing of the others is as at first. Lists name more than one resolver: without them the single
 * fields are the whole list, and with them the single fields may be blank or missing.
 */
export const SentSettings = z.object({
  UpstreamTLSHost: orBlank(TlsHost).optional(),
  UpstreamIPAddress: orBlank(UpstreamAddress).optional(),
  TlsDisable: z.boolean({ error: "Write true or false" }).optional(),
  DisableTls: z.boolean({ error: "Write true or false" }).optional(),
  UpstreamFamilyTLSHost: orBlank(TlsHost).optional(),
  UpstreamFamilyIPAddress: orBlank(UpstreamAddress).optional(),
  DisableFamilyTls: z.boolean({ error: "Write true or false" }).optional(),
  UpstreamProviders: Providers.optional(),
  FamilyProviders: Providers.optional(),
  ProviderResolvers: ProviderResolvers.optional(),
}).superRefine((sent, context) => {
  const fault = (name: keyof typeof sent, message: string): void =>
    context.addIssue({ code: "custom", path: [name], message });
  if (sent.UpstreamIPAddress || !sent.UpstreamProviders?.length) {
    if (sent.UpstreamTLSHost === undefined) fault("UpstreamTLSHost", CERTIFICATE);
    if (!sent.UpstreamIPAddress) {
      fault("UpstreamIPAddress", "Write the address of one resolver, such as 9.9.9.9");
    }
    const told = [sent.TlsDisable, sent.DisableTls].filter((one) => one !== undefined);
    if (told.length === 0) {
      fault("TlsDisable", "Write false to ask over TLS, true to ask in the open");
    } else if (!told.includes(true) && sent.UpstreamTLSHost === "") {
      fault("UpstreamTLSHost", CERTIFICATE);
    }
  }
  const family = sent.UpstreamFamilyIPAddress ?? "";
  if (family !== "" && sent.DisableFamilyTls !== true && !sent.UpstreamFamilyTLSHost) {
    fault("UpstreamFamilyTLSHost", CERTIFICATE);
  }
}).meta({ required: REQUIRED }).meta({ id: "DnsSettingsUpdate" });
export type SentSettings = z.output<typeof SentSettings>;

/**
 * Whether to ask in the open. Where both names are there and differ, a client that knows one of them
 * sent the other back as it was: the one that is not as `before` counts.
 */
export function switchOf(
  { TlsDisable, DisableTls }: Pick<SentSettings, "TlsDisable" | "DisableTls">,
  before: boolean,
): boolean {
  const one = TlsDisable ?? DisableTls ?? false;
  return one === (DisableTls ?? one) ? one : !before;
}

/** The settings as they are answered: the switch of TLS also under the name of older clients. */
export const AnsweredSettings = DnsSettings.extend({ DisableTls: z.boolean() }).meta({
  id: "DnsSettings",
});

/** {@link AnsweredSettings} of what is in force. */
export function answered(settings: DnsSettings): z.output<typeof AnsweredSettings> {
  return { ...settings, DisableTls: settings.TlsDisable };
}

/** The resolvers of one operator, twice for the day one of them is away; without and with a filter. */
export const DEFAULT_SETTINGS: DnsSettings = {
  UpstreamTLSHost: "cloudflare-dns.com",
  UpstreamIPAddress: "1.1.1.1",
  TlsDisable: false,
  UpstreamFamilyTLSHost: "cloudflare-dns.com",
  UpstreamFamilyIPAddress: "1.1.1.3",
  DisableFamilyTls: false,
  UpstreamProviders: [
    { IPAddress: "1.1.1.1", TLSHost: "cloudflare-dns.com", DisableTls: false },
    { IPAddress: "1.0.0.1", TLSHost: "cloudflare-dns.com", DisableTls: false },
  ],
  FamilyProviders: [
    { IPAddress: "1.1.1.3", TLSHost: "cloudflare-dns.com", DisableTls: false },
    { IPAddress: "1.0.0.3", TLSHost: "cloudflare-dns.com", DisableTls: false },
  ],
  ProviderResolvers: "never",
};
