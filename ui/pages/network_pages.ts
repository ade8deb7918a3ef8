import type { PageRecord } from "./page_record.ts";
import { t } from "../text/language.ts";

/** The pages of the menu's group Network, in its order. */
export const NETWORK_PAGES: readonly PageRecord[] = [
  {
    path: "/admin/wifi",
    load: () => import("./wifi/page.tsx"),
    title: t("Wi-Fi"),
    icon: "wifi",
    area: "network",
  },
  {
    path: "/admin/mesh",
    load: () => import("./mesh/page.tsx"),
    title: t("Mesh"),
    icon: "router",
    area: "network",
  },
  {
    path: "/admin/network",
    was: ["/admin/network/interfaces"],
    load: () => import("./network/page.tsx"),
    title: t("Interfaces"),
    icon: "router",
    area: "network",
  },
  {
    path: "/admin/topology",
    load: () => import("./topology/page.tsx"),
    title: t("Topology"),
    icon: "grid",
    area: "network",
  },
  {
    path: "/admin/traffic",
    load: () => import("./traffic/page.tsx"),
    title: t("Traffic"),
    icon: "lines",
    area: "network",
  },
  {
    path: "/admin/uplink",
    load: () => import("./uplink/page.tsx"),
    title: t("Internet"),
    icon: "out",
    area: "network",
  },
  {
    path: "/admin/dhcp",
    load: () => import("./dhcp/page.tsx"),
    title: "DHCP",
    icon: "server",
    area: "network",
  },
  {
    path: "/admin/vpn",
    load: () => import("./vpn/page.tsx"),
    title: "VPN",
    icon: "key",
    area: "network",
  },
  {
    path: "/admin/vpn/add",
    load: () => import("./vpn/add/page.tsx"),
    title: t("Add a VPN device"),
    icon: "plus",
  },
  {
    path: "/admin/multicast",
    load: () => import("./multicast/page.tsx"),
    title: t("Discovery (mDNS)"),
    icon: "wifi",
    area: "network",
  },
];
