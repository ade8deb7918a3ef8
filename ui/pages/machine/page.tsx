import type { VNode } from "preact";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { BoxPanel } from "./device.tsx";
import { ClockPanel } from "./clock.tsx";
import { PingPanel } from "./ping.tsx";
import { ReleasesPanel } from "./releases.tsx";
import { SupportPanel } from "./support.tsx";
import { TlsPanel } from "./tls.tsx";
import { t } from "../../text/language.ts";
import "../../styles/pages/machine.css";

/** The machine: processes, name, HTTPS, clock, releases and support. */
export default function SystemPage({ title }: PageProps): VNode {
  return (
    <>
      <PageHead
        title={title}
        note={t("Device, updates, HTTPS, support")}
      />
      <div class="cols half">
        <div class="stack">
          <BoxPanel />
          <ReleasesPanel />
          <ClockPanel />
        </div>
        <div class="stack">
          <TlsPanel />
          <PingPanel />
          <SupportPanel />
        </div>
      </div>
    </>
  );
}
