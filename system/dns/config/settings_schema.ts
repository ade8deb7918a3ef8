import * as z from "zod";
import { orBlank } from "../../devices/schema.ts";
import { DnsSettings, ProviderResolvers, Providers, TlsHost, UpstreamAddress } from "./schema.ts";

/** The error where a resolver over TLS has no host name. */
export const TLS_HOST_MESSAGE =
  "Enter the name in the resolver's certificate, such as dns.quad9.net";
const REQUIRED = ["UpstreamTLSHost", "UpstreamIPAddress", "TlsDisable"];

/**
 * The body of an update. The first three fields are required, the TLS setting under either name; others
 * have their default. Lists may have several resolvers: without them the single fields are the whole
 * list, and with them the single fields may be blank or missing.
 */
export const DnsSettingsUpdate = z.object({
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
}).superRefine((update, context) => {
  const fault = (name: keyof typeof update, message: string): void =>
    context.addIssue({ code: "custom", path: [name], message });
  if (update.UpstreamIPAddress || !update.UpstreamProviders?.length) {
    if (update.UpstreamTLSHost === undefined) fault("UpstreamTLSHost", TLS_HOST_MESSAGE);
    if (!update.UpstreamIPAddress) {
      fault("UpstreamIPAddress", "Enter the IP address of one resolver, such as 9.9.9.9");
    }
    const switches = [update.TlsDisable, update.DisableTls].filter((value) => value !== undefined);
    if (switches.length === 0) {
      fault("TlsDisable", "Enter false to use TLS, true for unencrypted queries");
    } else if (!switches.includes(true) && update.UpstreamTLSHost === "") {
      fault("UpstreamTLSHost", TLS_HOST_MESSAGE);
    }
  }
  const family = update.UpstreamFamilyIPAddress ?? "";
  if (family !== "" && update.DisableFamilyTls !== true && !update.UpstreamFamilyTLSHost) {
    fault("UpstreamFamilyTLSHost", TLS_HOST_MESSAGE);
  }
}).meta({ required: REQUIRED }).meta({ id: "DnsSettingsUpdate" });
export type DnsSettingsUpdate = z.output<typeof DnsSettingsUpdate>;

/**
 * Whether TLS is off. Where both fields are there and differ, a client that knows one of them update the
 * other back unchanged: the one that differs from `before` wins.
 */
export function tlsDisabled(
  { TlsDisable, DisableTls }: Pick<DnsSettingsUpdate, "TlsDisable" | "DisableTls">,
  before: boolean,
): boolean {
  const value = TlsDisable ?? DisableTls ?? false;
  return value === (DisableTls ?? value) ? value : !before;
}

/** The settings as they are settingsResponse: the switch of TLS also under the name of older clients. */
export const DnsSettingsResponse = DnsSettings.extend({ DisableTls: z.boolean() }).meta({
  id: "DnsSettings",
});

/** {@link DnsSettingsResponse} of the settings. */
export function settingsResponse(settings: DnsSettings): z.output<typeof DnsSettingsResponse> {
  return { ...settings, DisableTls: settings.TlsDisable };
}

/** Two resolvers of one operator, in case one is down; without and with a filter. */
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
