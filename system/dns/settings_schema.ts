import { z } from "zod";
import { orBlank } from "../devices/schema.ts";
import { type DnsSettings, Providers, TlsHost, UpstreamAddress } from "./schema.ts";

/**
 * The settings as they are sent. The first three are required, the switch under either name; lists
 * name more than one resolver, and without them the single fields are the whole list.
 */
export const SentSettings = z.object({
  UpstreamTLSHost: orBlank(TlsHost),
  UpstreamIPAddress: UpstreamAddress,
  TlsDisable: z.boolean({ error: "Write true or false" }).optional(),
  DisableTls: z.boolean({ error: "Write true or false" }).optional(),
  UpstreamFamilyTLSHost: orBlank(TlsHost).optional(),
  UpstreamFamilyIPAddress: orBlank(UpstreamAddress).optional(),
  DisableFamilyTls: z.boolean({ error: "Write true or false" }).optional(),
  UpstreamProviders: Providers.optional(),
  FamilyProviders: Providers.optional(),
}).superRefine((sent, context) => {
  const plain = sent.TlsDisable ?? sent.DisableTls;
  if (plain === undefined) {
    context.addIssue({
      code: "custom",
      path: ["TlsDisable"],
      message: "Write false to ask over TLS, true to ask in the open",
    });
  }
  if (plain === false && sent.UpstreamTLSHost === "") {
    context.addIssue({
      code: "custom",
      path: ["UpstreamTLSHost"],
      message: "Write the name in the resolver's certificate, such as dns.quad9.net",
    });
  }
  const family = sent.UpstreamFamilyIPAddress ?? "";
  if (family !== "" && sent.DisableFamilyTls !== true && !sent.UpstreamFamilyTLSHost) {
    context.addIssue({
      code: "custom",
      path: ["UpstreamFamilyTLSHost"],
      message: "Write the name in the resolver's certificate, such as dns.quad9.net",
    });
  }
});
export type SentSettings = z.output<typeof SentSettings>;

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
};
