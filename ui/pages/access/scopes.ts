import { DETAILS } from "../page_details.ts";
import { PAGES } from "../registry.ts";
import { t } from "../../text/language.ts";

/** What a token may do on a path and all below it. */
export interface Scope {
  /** Begins with `/`; `/` is everything. */
  readonly path: string;
  readonly mode: "r" | "rw";
}

/** A route of the API as its document describes it. */
export interface RouteLine {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** True where a token can be used at all. */
  readonly token: boolean;
  /** True where a code of the second factor is needed besides. */
  readonly otp: boolean;
}

const READS = ["GET", "HEAD"];

/** As the API takes a scope: `/devices:r`. */
export function scopeText({ path, mode }: Scope): string {
  return `${path}:${mode}`;
}

/** What is wrong with the path of a scope; null when nothing is. */
export function scopeFault(path: string): string | null {
  if (path === "") return t("Enter a path, for example /devices");
  if (!path.startsWith("/")) return t("Start the path with a slash");
  if (/[\s?#%\\:]/.test(path)) return t("Remove spaces and ? # % \\ :");
  const parts = path.replace(/\/$/, "").split("/").slice(1);
  return parts.some((part) => part === "" || part === "." || part === "..")
    ? t("Remove empty segments and dots")
    : null;
}

/** True when a token with these scopes can use the route; none of them is everything. */
export function covers(scopes: readonly Scope[], route: RouteLine): boolean {
  if (!route.token) return false;
  return scopes.length === 0 || scopes.some(({ path, mode }) => {
    const prefix = path.replace(/\/$/, "");
    const inside = route.path === prefix || route.path.startsWith(`${prefix}/`);
    return inside && (mode === "rw" || READS.includes(route.method));
  });
}

type Security = readonly Readonly<Record<string, unknown>>[];

/** The routes of an OpenAPI document; parts that are not as expected are left out. */
export function routesOf(document: unknown): readonly RouteLine[] {
  const { paths = {} } = document as { paths?: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([method]) => /^(get|head|put|post|delete)$/.test(method))
      .map(([method, described]): RouteLine => {
        const { summary = "", tags = [], security = [] } = described as {
          summary?: string;
          tags?: readonly string[];
          security?: Security;
        };
        return {
          method: method.toUpperCase(),
          path,
          summary,
          tag: tags[0] ?? t("Others"),
          token: security.length === 0 || security.some((scheme) => "bearer" in scheme),
          otp: security.length > 0 && security.every((scheme) => "otp" in scheme),
        };
      })
  );
}

/** Paths worth proposing: the first part of each route. */
export function proposals(routes: readonly RouteLine[]): readonly string[] {
  return [
    ...new Set(routes.filter(({ token }) => token).map(({ path }) => `/${path.split("/")[1]}`)),
  ]
    .sort();
}

/** A page whose work a token can do, as far as it goes. */
export interface PageScope {
  readonly title: string;
  readonly mode: "read" | "read/write";
}

/** The pages whose routes the scopes cover, all of them, in the order of the side. */
export function pagesOf(
  scopes: readonly Scope[],
  routes: readonly RouteLine[],
): readonly PageScope[] {
  const open = new Set(
    routes.filter((route) => covers(scopes, route)).map(({ method, path }) => `${method} ${path}`),
  );
  // What asks for the password itself is done by people alone, whatever else their pages do.
  const people = new Set(
    routes.filter(({ token }) => !token).map(({ method, path }) => `${method} ${path}`),
  );
  return PAGES.filter(({ area }) => area !== undefined).flatMap(({ path, title }): PageScope[] => {
    const { reads = [], writes = [] } = DETAILS[path] ?? {};
    if (!reads.every((read) => open.has(`GET ${read}`))) return [];
    const needed = writes.filter((write) => !people.has(write));
    const isWhole = needed.length > 0 && needed.every((write) => open.has(write));
    return [{ title, mode: isWhole ? "read/write" : "read" }];
  });
}
