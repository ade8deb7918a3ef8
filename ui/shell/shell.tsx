import { type ComponentChildren, Fragment, type VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { link } from "../state/events.ts";
import { loadProblem, waitingCount } from "../state/store.ts";
import { AccountMenu } from "./account_menu.tsx";
import { AREAS, currentOf, type Place, PLACES } from "./menu.ts";
import { Icon } from "../parts/show/icon.tsx";
import { MoreMenu } from "./more_menu.tsx";
import { NetworkBanner } from "./network_banner.tsx";
import { Notices } from "./notices.tsx";
import { PaletteButton } from "./palette/palette.tsx";
import { TrialBanner } from "./confirm_banner.tsx";

const LINK_WORDS = { connecting: "Connecting", live: "Live", lost: "Reconnecting" } as const;

/** Areas at the side or below, the bar, banners, and the page. */
export function Shell({ children }: { children: ComponentChildren }): VNode {
  return (
    <>
      <a class="skip" href="#main">Skip to content</a>
      <div class="app">
        <aside class="side" aria-label="Areas">
          <a class="brand" href="/admin" aria-label="Sluice, home">
            <Icon name="logo" />
            <span class="t">Sluice</span>
          </a>
          <nav class="nav" aria-label="Main">
            {AREAS.map(({ href, word, icon, inside = [] }) => (
              <Fragment key={word}>
                {href === null
                  ? <span class="area">{word}</span>
                  : <Go place={{ href, word, icon }} />}
                {inside.map((place) => <Go key={place.href} place={place} inside />)}
              </Fragment>
            ))}
          </nav>
          <div class="foot">
            <span class="state">
              <LinkDot />
              <b>{LINK_WORDS[link.value]}</b>
            </span>
            <span>{location.hostname}</span>
          </div>
        </aside>
        <div class="page">
          <header class="top">
            <a class="brand phone-brand" href="/admin" aria-label="Sluice, home">
              <Icon name="logo" />
              <span>Sluice</span>
            </a>
            <PaletteButton />
            <span class="grow" />
            {link.value === "lost" && (
              <span class="state s heed-t">
                <span class="dot heed" aria-hidden="true" />
                Reconnecting
              </span>
            )}
            <AccountMenu />
          </header>
          <TrialBanner />
          <NetworkBanner />
          <Notices />
          {loadProblem.value && link.value !== "live" && (
            <div class="banner shut" role="alert">
              <Icon name="alert" />
              <p>{loadProblem.value} What you see is the last that was known.</p>
            </div>
          )}
          <main id="main" tabIndex={-1}>{children}</main>
        </div>
        <nav class="tabbar" aria-label="Areas, below">
          {PLACES.filter(({ below }) => below).map((place) => (
            <Go key={place.href} place={place} phone />
          ))}
          <MoreMenu places={PLACES.filter(({ below }) => !below)} />
        </nav>
      </div>
    </>
  );
}

function LinkDot(): VNode {
  const shape = link.value === "live" ? "dot" : link.value === "lost" ? "dot heed" : "dot off";
  return <span class={shape} aria-hidden="true" />;
}

function Go(
  { place: { href, word, icon }, phone, inside }: {
    place: Place;
    phone?: boolean;
    inside?: boolean;
  },
): VNode {
  const { path } = useLocation();
  const waiting = href === "/admin/devices" ? waitingCount.value : 0;
  return (
    <a
      href={href}
      class={inside ? "inside" : undefined}
      aria-current={currentOf(href, path)}
      title={phone ? undefined : word}
    >
      <Icon name={icon} />
      <span class="t">{word}</span>
      {waiting > 0 && phone && (
        <>
          <span class="pip" aria-hidden="true" />
          <span class="vh">, {waiting} waiting</span>
        </>
      )}
      {waiting > 0 && !phone && (
        <span class="n heed">
          {waiting}
          <span class="vh">waiting</span>
        </span>
      )}
    </a>
  );
}
