import type { PageRecord } from "./page_record.ts";
import { t } from "../text/language.ts";

/** The pages of the menu's group DNS, in its order. */
export const DNS_PAGES: readonly PageRecord[] = [
  {
    path: "/admin/dns",
    load: () => import("./dns/log/page.tsx"),
    title: t("Query log"),
    icon: "globe",
    area: "dns",
    tab: "DNS",
  },
  {
    path: "/admin/dns/lists",
    load: () => import("./dns/lists/page.tsx"),
    title: t("Block lists"),
    icon: "gate_closed",
    area: "dns",
  },
  {
    path: "/admin/dns/overrides",
    load: () => import("./dns/overrides/page.tsx"),
    title: t("Custom rules"),
    icon: "gate_open",
    area: "dns",
  },
  {
    path: "/admin/dns/names",
    load: () => import("./dns/names/page.tsx"),
    title: t("Local DNS records"),
    icon: "label",
    area: "dns",
  },
  {
    path: "/admin/dns/settings",
    load: () => import("./dns/settings/page.tsx"),
    title: t("DNS settings"),
    icon: "system",
    area: "dns",
  },
];
