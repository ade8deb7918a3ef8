import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Action } from "../../../actions/action.ts";
import { previewForm } from "../../../actions/apply.ts";
import { CheckField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Menu } from "../../../parts/overlay/menu.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { DnsSettings } from "../wire.ts";
import { t } from "../../../text/language.ts";

type Provider = DnsSettings["UpstreamProviders"][number];
type Which = "UpstreamProviders" | "FamilyProviders";

/** Resolvers that many people use, as their operators name them. */
const KNOWN: Readonly<Record<Which, readonly (readonly [string, string, string])[]>> = {
  UpstreamProviders: [
    ["Cloudflare", "1.1.1.1", "cloudflare-dns.com"],
    ["Quad9", "9.9.9.9", "dns.quad9.net"],
    ["Google", "8.8.8.8", "dns.google"],
  ],
  FamilyProviders: [
    [t("Cloudflare for families"), "1.1.1.3", "cloudflare-dns.com"],
    ["OpenDNS FamilyShield", "208.67.222.123", "doh.opendns.com"],
  ],
};

/** The fields of older clients that say the same as the first of a list. */
const SINGLE = {
  UpstreamProviders: { IPAddress: "UpstreamIPAddress", TLSHost: "UpstreamTLSHost" },
  FamilyProviders: { IPAddress: "UpstreamFamilyIPAddress", TLSHost: "UpstreamFamilyTLSHost" },
} as const;

const WORDS: Readonly<Record<Which, readonly [title: string, note: string, subject: string]>> = {
  UpstreamProviders: [t("Upstream DNS servers"), t("fastest first"), t("Upstream DNS")],
  FamilyProviders: [
    t("Family-filter upstreams"),
    t("block adult sites"),
    t("Family DNS"),
  ],
};

/** The resolvers of one list, edited as a whole. */
export function Providers(
  { settings, etag, which }: { settings: DnsSettings; etag: string | null; which: Which },
): VNode {
  const rows = useSignal<readonly Provider[]>(settings[which]);
  const saved = JSON.stringify(settings[which]);
  useEffect(() => void (rows.value = settings[which]), [saved]);
  const [title, note] = WORDS[which];
  const write = useForm({
    send: ({ overwrite: over }) =>
      previewForm(setProviders(settings, { which, list: rows.value, etag: over ? null : etag })),
  });
  const change = (index: number, part: Partial<Provider>): void => {
    rows.value = rows.value.map((row, at) => at === index ? { ...row, ...part } : row);
    for (const name of Object.keys(part)) write.edited(`${which}/${index}/${name}`);
    if (index === 0) Object.values(SINGLE[which]).forEach(write.edited);
  };
  // The first of a list is also sent in fields of its own, and complained about there as well.
  const at = (index: number, name: "IPAddress" | "TLSHost"): string | null => {
    const listed = write.at(`${which}/${index}/${name}`);
    const single = index === 0 ? write.at(SINGLE[which][name]) : null;
    return listed ?? single;
  };
  const dirty = JSON.stringify(rows.value) !== saved;
  const add = (row: Provider): void => void (rows.value = [...rows.value, row]);
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="note">{note}</span>
      </header>
      <Form write={write} class="form pad" failed={t("The servers were not saved.")}>
        {rows.value.map((row, index) => (
          <div
            class="provider"
            key={index}
            role="group"
            aria-label={t("Server {index}", { index: index + 1 })}
          >
            <Field
              label={t("IP address")}
              autocomplete="off"
              value={row.IPAddress}
              problem={at(index, "IPAddress")}
              onValue={(IPAddress) => change(index, { IPAddress })}
            />
            <Field
              label={t("TLS host name")}
              autocomplete="off"
              value={row.TLSHost}
              problem={at(index, "TLSHost")}
              onValue={(TLSHost) => change(index, { TLSHost })}
            />
            <CheckField
              label={t("Unencrypted")}
              value={row.DisableTls}
              onValue={(DisableTls) => change(index, { DisableTls })}
            />
            <button
              class="icon-btn small"
              type="button"
              disabled={rows.value.length === 1}
              aria-label={t("Remove {ipAddress}", { ipAddress: row.IPAddress || t("this server") })}
              onClick={() => rows.value = rows.value.filter((_, at) => at !== index)}
            >
              <Icon name="x" small />
            </button>
          </div>
        ))}
        <div class="row wrap">
          <Menu
            label={t("Add server: {title}", { title })}
            items={[
              ...KNOWN[which].map(([text, IPAddress, TLSHost]) => ({
                text,
                onChoose: () => add({ IPAddress, TLSHost, DisableTls: false }),
              })),
              {
                text: t("Custom"),
                apart: true,
                onChoose: () => add({ IPAddress: "", TLSHost: "", DisableTls: false }),
              },
            ]}
          >
            <Icon name="plus" small /> {t("Add server")}
          </Menu>
          {dirty && <SubmitButton write={write}>{t("Preview change")}</SubmitButton>}
          {dirty && (
            <button class="btn" type="button" onClick={() => rows.value = settings[which]}>
              {t("Cancel")}
            </button>
          )}
        </div>
      </Form>
    </section>
  );
}

function setProviders(
  settings: DnsSettings,
  { which, list, etag }: {
    readonly which: Which;
    readonly list: readonly Provider[];
    readonly etag: string | null;
  },
): Action {
  const clean = list.map(({ IPAddress, TLSHost, DisableTls }) => ({
    IPAddress: IPAddress.trim(),
    TLSHost: DisableTls ? "" : TLSHost.trim(),
    DisableTls,
  }));
  const lists = { ...settings, [which]: clean };
  const [up, family] = [lists.UpstreamProviders[0]!, lists.FamilyProviders[0]!];
  const open = clean.some(({ DisableTls }) => DisableTls);
  const sentence = t("uses {clean}.", {
    clean: clean.map(({ IPAddress }) => IPAddress).join(", "),
  });
  return {
    title: t("Preview: upstream DNS servers"),
    subject: WORDS[which][2],
    sentence,
    details: open ? [t("Unencrypted queries can be read by anyone on the path.")] : [],
    button: t("Save servers"),
    done: sentence,
    request: () => ({
      method: "PUT",
      path: "/dnsSettings",
      ifMatch: etag,
      body: {
        UpstreamTLSHost: up.TLSHost,
        UpstreamIPAddress: up.IPAddress,
        TlsDisable: up.DisableTls,
        UpstreamFamilyTLSHost: family.TLSHost,
        UpstreamFamilyIPAddress: family.IPAddress,
        DisableFamilyTls: family.DisableTls,
        UpstreamProviders: lists.UpstreamProviders,
        FamilyProviders: lists.FamilyProviders,
        ProviderResolvers: lists.ProviderResolvers,
      },
    }),
  };
}
