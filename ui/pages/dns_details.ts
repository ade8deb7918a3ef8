import type { PageDetails } from "./page_record.ts";
import { t } from "../text/language.ts";

/** Details of the pages of the menu's group DNS. */
export const DNS_DETAILS: Readonly<Record<string, PageDetails>> = {
  "/admin/dns": {
    note: t("DNS queries of your devices"),
    words: t("queries adguard pihole log blocked domains"),
    reads: [
      "/plugins/dns/log/entries",
      "/plugins/dns/log/status",
      "/plugins/dns/block/explain",
      "/devices",
    ],
    writes: [
      "PUT /plugins/dns/block/override/{list}",
      "PUT /plugins/dns/log/domain_ignore/{domain}",
    ],
  },
  "/admin/dns/lists": {
    note: t("Blocked domains by category"),
    words: t("adblock ads blocklist filter"),
    reads: ["/plugins/dns/block/config", "/plugins/dns/block/lists"],
    writes: [
      "PUT /plugins/dns/block/blocklists",
      "DELETE /plugins/dns/block/blocklists",
      "PUT /plugins/dns/block/try",
      "PUT /plugins/dns/block/upload/{name}",
      "PUT /plugins/dns/block/refresh",
    ],
  },
  "/admin/dns/overrides": {
    note: t("Domains that you block, allow or rewrite"),
    words: t("allowlist whitelist blacklist rewrite block a site"),
    reads: ["/plugins/dns/block/config", "/devices", "/groups"],
    writes: [
      "PUT /plugins/dns/block/override/{list}",
      "DELETE /plugins/dns/block/override/{list}",
      "PUT /plugins/dns/block/overrideList/{list}",
    ],
  },
  "/admin/dns/names": {
    note: t("Host names in your network"),
    words: t("hostname record local domain"),
    reads: ["/dns/hostnames"],
    writes: ["PUT /dns/hostnames/{hostname}", "DELETE /dns/hostnames/{hostname}"],
  },
  "/admin/dns/settings": {
    note: t("Upstream DNS servers, cache, log retention"),
    words: t("upstream resolver doh dot cache"),
    reads: [
      "/dnsSettings",
      "/dns/status",
      "/plugins/dns/block/config",
      "/plugins/dns/log/settings",
      "/plugins/dns/log/status",
      "/firewall/config",
    ],
    writes: [
      "PUT /dnsSettings",
      "PUT /dns/flush",
      "PUT /plugins/dns/log/settings",
      "DELETE /plugins/dns/log/entries",
      "PUT /plugins/dns/block/quarantineHost",
      "PUT /plugins/dns/block/setRefresh",
      "PUT /plugins/dns/block/disableRebinding",
      "PUT /firewall/systemDnsOverride",
    ],
  },
};
