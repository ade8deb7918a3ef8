import { type ComponentChildren, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { connection } from "../state/events.ts";
import { loadProblem, notices, pendingCount } from "../state/store.ts";
import { AccountMenu } from "./account_menu.tsx";
import { Banners } from "./banners.tsx";
import { currentOf, MENU, MENU_PAGES, type MenuArea, type MenuPage } from "./menu.ts";
import { Icon } from "../parts/show/icon.tsx";
import { MoreMenu } from "./more_menu.tsx";
import { PaletteButton } from "./palette/palette.tsx";
import { t } from "../text/language.ts";

const ALERTS = "/admin/alerts";
const LINK_WORDS = {
  connecting: t("Connecting"),
  live: t("Live"),
  lost: t("Reconnecting"),
} as const;

/** Areas at the side or below, the bar, banners, and the page. */
export function Shell({ children }: { children: ComponentChildren }): VNode {
  return (
    <>
      <a class="skip" href="#main">{t("Skip to content")}</a>
      <div class="app">
        <aside class="side" aria-label={t("Areas")}>
          <a class="brand" href="/admin" aria-label={t("Sluice, home")}>
            <Icon name="logo" />
            <span class="t">{t("Sluice")}</span>
          </a>
          <nav class="nav" aria-label={t("Main")}>
            <ByPath>
              {(path) => MENU.map((area) => <Area key={area.name} area={area} path={path} />)}
            </ByPath>
          </nav>
          <div class="foot">
            <span class="state">
              <ConnectionDot />
              <b>{LINK_WORDS[connection.value]}</b>
            </span>
            <span>{location.hostname}</span>
          </div>
        </aside>
        <div class="page">
          <header class="top">
            <a class="brand phone-brand" href="/admin" aria-label={t("Sluice, home")}>
              <Icon name="logo" />
              <span>{t("Sluice")}</span>
            </a>
            <PaletteButton />
            <span class="grow" />
            {connection.value === "lost" && (
              <span class="state s warning-t">
                <span class="dot warning" aria-hidden="true" />
                {t("Reconnecting")}
              </span>
            )}
            <Help />
            <Bell />
            <AccountMenu />
          </header>
          <Banners />
          {loadProblem.value && connection.value !== "live" && (
            <div class="banner danger" role="alert">
              <Icon name="alert" />
              <p>
                {t("{loadProblem} This page shows the last known state.", {
                  loadProblem: loadProblem.value,
                })}
              </p>
            </div>
          )}
          <main id="main" tabIndex={-1}>{children}</main>
        </div>
        <nav class="tabbar" aria-label={t("Areas, below")}>
          <ByPath>
            {(path) =>
              MENU_PAGES.filter(({ tab }) => tab !== undefined).map((page) => (
                <MenuLink key={page.href} page={page} path={path} phone />
              ))}
          </ByPath>
          <MoreMenu />
        </nav>
      </div>
    </>
  );
}

/** What depends on the path alone: the words of a filter, which are in the address too, draw none of it. */
function ByPath({ children }: { children: (path: string) => readonly VNode[] }): VNode {
  const { path } = useLocation();
  return useMemo(() => <>{children(path)}</>, [path]);
}

const FOLDED = "menu:folded";
/** Names of the areas that are folded; this browser remembers them. */
const folded = signal((localStorage.getItem(FOLDED) ?? "").split(" "));

/** The pages of an area below its heading, which folds them; never the page that is open. */
function Area(
  { area: { name, heading, pages }, path }: { area: MenuArea; path: string },
): VNode {
  const shut = folded.value.includes(name);
  function fold(): void {
    folded.value = shut ? folded.value.filter((one) => one !== name) : [...folded.value, name];
    localStorage.setItem(FOLDED, folded.value.join(" "));
  }
  return (
    <>
      {heading !== null && (
        <button class="area" type="button" aria-expanded={!shut} onClick={fold}>
          {heading}
          <Icon name="up" small />
        </button>
      )}
      {pages.map((page) => (
        <MenuLink
          key={page.href}
          page={page}
          path={path}
          inside={heading !== null}
          shut={shut && currentOf(page.href, path) === undefined}
        />
      ))}
    </>
  );
}

function ConnectionDot(): VNode {
  const shape = connection.value === "live"
    ? "dot"
    : connection.value === "lost"
    ? "dot warning"
    : "dot off";
  return <span class={shape} aria-hidden="true" />;
}

function MenuLink(
  { page: { href, title, menu = title, tab, icon }, path, phone, inside, shut }: {
    page: MenuPage;
    path: string;
    phone?: boolean;
    inside?: boolean;
    shut?: boolean;
  },
): VNode {
  const waiting = href === "/admin/devices" ? pendingCount.value : 0;
  return (
    <a
      href={href}
      class={`${inside ? "inside" : ""}${shut ? " shut" : ""}`}
      aria-current={currentOf(href, path)}
      title={phone ? undefined : title}
    >
      <Icon name={icon} />
      <span class="t">{phone ? tab : menu}</span>
      {waiting > 0 && phone && (
        <>
          <span class="badge" aria-hidden="true" />
          <span class="vh">{t(", {waiting} pending", { waiting })}</span>
        </>
      )}
      {waiting > 0 && !phone && (
        <span class="n warning">
          {waiting}
          <span class="vh">{t("pending")}</span>
        </span>
      )}
    </a>
  );
}

/** Leads to the section of the manual that the page is about. */
function Help(): VNode {
  const { path } = useLocation();
  return (
    <a
      class="icon-btn"
      href={`/admin/help?page=${encodeURIComponent(path)}`}
      aria-label={t("Help")}
      title={t("Help")}
    >
      <Icon name="help" />
    </a>
  );
}

/** Leads to what needs attention, and says how much of it there is. */
function Bell(): VNode {
  const { path } = useLocation();
  const open = notices.value.length;
  const text = open === 0 ? t("Alerts") : t("Alerts, {open} open", { open });
  return (
    <a
      class="icon-btn bell"
      href={ALERTS}
      aria-label={text}
      title={text}
      aria-current={path.startsWith(ALERTS) ? "page" : undefined}
    >
      <Icon name="bell" />
      {open > 0 && <span class="bell-count" aria-hidden="true">{open > 99 ? "99+" : open}</span>}
    </a>
  );
}
