import type { ComponentType } from "preact";
import type { IconName } from "../parts/show/icon.tsx";
import type { PageProps } from "../parts/show/page_head.tsx";
import { t } from "../text/language.ts";

/** Address of the setup guide, which is shown at any address until setup is done. */
export const SETUP = "/admin/setup";

/** Groups of pages in the menu, in its order, with their headings. */
export const AREAS = {
  main: null,
  firewall: t("Firewall"),
  network: t("Network"),
  dns: "DNS",
  system: t("System"),
} as const;

/** All that the router and the menu know of a page; the first page loads it of all pages. */
export interface PageRecord {
  /** Address, with parameters as preact-iso writes them: `:id` and `:id?`. */
  readonly path: string;
  /** Earlier addresses, which lead here. */
  readonly was?: readonly string[];
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
  readonly title: string;
  readonly icon: IconName;
  /** Where the menu lists it; absent for pages that others lead to. */
  readonly area?: keyof typeof AREAS;
  /** Its name in the menu, where its title would repeat that of the area. */
  readonly menu?: string;
  /** Its name in the tab bar of a phone; absent for pages that are listed under More there. */
  readonly tab?: string;
}

/** What the palette and the token form know of a page besides. */
export interface PageDetails {
  /** Description for the palette; absent for pages that need a parameter to open. */
  readonly note?: string;
  /** What else people type in the palette to find it, in lower case, with spaces between. */
  readonly words?: string;
  /** Paths of the API that it reads by GET. */
  readonly reads: readonly string[];
  /** Operations of the API by which it changes something: `PUT /device`. */
  readonly writes: readonly string[];
}
