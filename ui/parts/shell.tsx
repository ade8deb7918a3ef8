import type { ComponentChildren, VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { link } from "../events.ts";
import { loadProblem, waitingCount } from "../store.ts";
import { AccountMenu } from "./account_menu.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { MoreMenu } from "./more_menu.tsx";
import { NetworkBanner } from "./network_banner.tsx";
import { Notices } from "./notices.tsx";
import { PaletteButton } from "./palette.tsx";
import { TrialBanner } from "./trial_banner.tsx";

/** Address, word, drawing, and whether a phone shows it below rather than under More. */
type Area = readonly [string, string, IconName, boolean];

const AREAS: readonly Area[] = [
  ["/admin/devices", "Devices", "devices", true],
  ["/admin/groups", "Groups", "people", false],
  ["/admin/rules", "Rules", "gate", true],
  ["/admin/reach", "Reach", "gateopen", true],
  ["/admin/network", "Network", "router", false],
  ["/admin/changes", "Changes", "changes", true],
  ["/admin/access", "Access", "key", false],
];

const LINK_WORDS = { connecting: "Connecting", live: "Live", lost: "Reconnecting" } as const;

/** Areas at the side or below, the bar, banners, and the page. */
export function Shell({ children }: { children: ComponentChildren }): VNode {
  return (
    <>
      <a class="skip" href="#main">Skip to content</a>
      <div class="app">
        <aside class="side" aria-label="Areas">
          <a class="brand" href="/admin/devices" aria-label="Sluice, devices">
            <Icon name="logo" />
            <span class="t">Sluice</span>
          </a>
          <nav class="nav" aria-label="Main">
            <Areas />
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
            <a class="brand phone-brand" href="/admin/devices" aria-label="Sluice, devices">
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
          <Areas phone />
          <MoreMenu areas={AREAS.filter(([, , , below]) => !below)} />
        </nav>
      </div>
    </>
  );
}

function LinkDot(): VNode {
  const shape = link.value === "live" ? "dot" : link.value === "lost" ? "dot heed" : "dot off";
  return <span class={shape} aria-hidden="true" />;
}

function Areas({ phone }: { phone?: boolean }): VNode {
  const { path } = useLocation();
  const waiting = waitingCount.value;
  return (
    <>
      {AREAS.filter(([, , , below]) => below || !phone).map(([href, word, icon]) => {
        const current = path === href ? "page" : path.startsWith(`${href}/`) ? "true" : undefined;
        const heed = href === "/admin/devices" && waiting > 0;
        return (
          <a key={href} href={href} aria-current={current} title={phone ? undefined : word}>
            <Icon name={icon} />
            <span class="t">{word}</span>
            {heed && phone && (
              <>
                <span class="pip" aria-hidden="true" />
                <span class="vh">, {waiting} waiting</span>
              </>
            )}
            {heed && !phone && (
              <span class="n heed">
                {waiting}
                <span class="vh">waiting</span>
              </span>
            )}
          </a>
        );
      })}
    </>
  );
}
