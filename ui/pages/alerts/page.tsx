import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { Tabs } from "../../parts/show/tabs.tsx";
import { notices } from "../../state/store.ts";
import { count } from "../../text/format.ts";
import { Channels } from "./channels.tsx";
import { Inbox } from "./inbox.tsx";
import { Rules } from "./rules.tsx";
import "../../styles/pages/alerts.css";

const TABS = [["inbox", "Inbox"], ["rules", "Rules"], ["channels", "Channels"]] as const;

/** What needs attention, and the rules that say which events do. */
export default function AlertsPage({ title }: PageProps): VNode {
  const tab = useSignal("inbox");
  const open = notices.value.length;
  return (
    <>
      <PageHead
        title={title}
        note={open === 0 ? "All good" : `${count(open, "item")} open`}
      >
        <a class="btn" href="/admin/events">Live events</a>
      </PageHead>
      <Tabs
        label="Alerts"
        tabs={TABS}
        chosen={tab.value}
        onChoose={(name) => tab.value = name}
      >
        {tab.value === "inbox" ? <Inbox /> : tab.value === "rules" ? <Rules /> : <Channels />}
      </Tabs>
    </>
  );
}
