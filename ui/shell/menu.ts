import { AREAS, type PageRecord } from "../pages/page_record.ts";
import { PAGES } from "../pages/registry.ts";

/** A page that the menu leads to. */
export interface MenuPage extends Omit<PageRecord, "area"> {
  readonly href: string;
}

/** A group of pages in the menu. */
export interface MenuArea {
  readonly name: string;
  /** Shown above its pages, which it folds; null for the pages at the top. */
  readonly heading: string | null;
  readonly pages: readonly MenuPage[];
}

/** Address of a page without what is optional. */
export function hrefOf(path: string): string {
  return path.replace(/\/:[^/]+\?$/, "");
}

/** The areas of the menu with their pages. */
export const MENU: readonly MenuArea[] = Object.entries(AREAS).map(([name, word]) => {
  const pages = PAGES.filter(({ area }) => area === name)
    .map((page) => ({ ...page, href: hrefOf(page.path) }));
  return {
    name,
    heading: word,
    pages,
  };
});

/** Every page of the menu in a row. */
export const MENU_PAGES: readonly MenuPage[] = MENU.flatMap(({ pages }) => pages);

/**
 * `page` at the page itself, `true` at one below it, for `aria-current`; a page that the menu lists
 * itself is below no other.
 */
export function currentOf(href: string, path: string): "page" | "true" | undefined {
  const here = path.replace(/\/$/, "");
  if (here === href) return "page";
  if (href === "/admin" || !here.startsWith(`${href}/`)) return undefined;
  const nearer = MENU_PAGES.some((other) =>
    other.href.startsWith(`${href}/`) && (here === other.href || here.startsWith(`${other.href}/`))
  );
  return nearer ? undefined : "true";
}
