import type { VNode } from "preact";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { changeEvents } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { Health } from "./health.tsx";
import { SingleUpstream } from "../log/single_upstream.tsx";
import { LogSettingsPanel } from "./log_settings.tsx";
import { ProviderResolvers } from "./isp_dns.tsx";
import { Providers } from "./upstreams.tsx";
import type { DnsHealth, DnsSettings, LogSettings } from "../wire.ts";
import { t } from "../../../text/language.ts";
import "../../../styles/pages/dns.css";

/** Milliseconds between two loads of the resolver status. */
const POLL_INTERVAL_MS = 5000;

/** Upstream resolvers, their status, and the query log. */
export default function DnsSettingsPage({ title }: PageProps): VNode {
  const settings = useLoaded<DnsSettings>({ path: "/dnsSettings" }, [changeEvents.value]);
  const log = useLoaded<LogSettings>({ path: "/plugins/dns/log/settings" }, [changeEvents.value]);
  const rules = useLoaded<{ readonly SystemDNSOverride: string }>(
    { path: "/firewall/config" },
    [changeEvents.value],
  );
  const health = useLoaded<DnsHealth>({ path: "/dns/status" }, [
    changeEvents.value,
    usePulse(POLL_INTERVAL_MS),
  ]);
  return (
    <>
      <PageHead
        title={title}
        note={t("Upstream DNS servers, cache, log retention")}
      />
      <div class="cols half">
        <div class="stack">
          {settings.body === null
            ? settings.problem === null
              ? <Loading what={t("the settings")} rows={3} />
              : (
                <Fault title={t("The settings could not be loaded.")}>
                  {settings.problem.message}
                </Fault>
              )
            : (
              <>
                <Providers
                  settings={settings.body}
                  etag={settings.etag}
                  which="UpstreamProviders"
                />
                <Providers settings={settings.body} etag={settings.etag} which="FamilyProviders" />
                <ProviderResolvers settings={settings.body} etag={settings.etag} />
                {rules.body !== null && <SingleUpstream now={rules.body.SystemDNSOverride} />}
              </>
            )}
        </div>
        <div class="stack">
          <Health health={health} />
          {log.body === null
            ? log.problem === null
              ? <Loading what={t("the log's settings")} rows={3} />
              : (
                <Fault title={t("The log settings could not be loaded.")}>
                  {log.problem.message}
                </Fault>
              )
            : <LogSettingsPanel now={log.body} etag={log.etag} />}
        </div>
      </div>
    </>
  );
}
