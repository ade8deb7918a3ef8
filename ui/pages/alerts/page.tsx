import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { Tabs } from "../../parts/show/tabs.tsx";
import { notices } from "../../state/store.ts";
import { Channels } from "./channels.tsx";
import { Inbox } from "./inbox.tsx";
import { Rules } from "./rules.tsx";
import { t, tn } from "../../text/language.ts";
import "../../styles/pages/alerts.css";

const TABS = [["inbox", t("Inbox")], ["rules", t("Rules")], ["channels", t("Channels")]] as const;

/** What needs attention, and the rules that say which events do. */
export default function AlertsPage({ title }: PageProps): VNode {
  const tab = useSignal("inbox");
  const open = notices.value.length;
  return (
    <>
      <PageHead
        title={title}
        note={open === 0 ? t("All good") : tn("{count} item open", "{count} items open", open)}
      >
        <a class="btn" href="/admin/events">{t("Live events")}</a>
      </PageHead>
      <Tabs
        label={t("Alerts")}
        tabs={TABS}
        chosen={tab.value}
        onChoose={(name) => tab.value = name}
      >
        {tab.value === "inbox" ? <Inbox /> : tab.value === "rules" ? <Rules /> : <Channels />}
      </Tabs>
    </>
  );
}
