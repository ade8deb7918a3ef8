import type { VNode } from "preact";
import { Name } from "../../parts/show/name.tsx";
import { pendingConfirm } from "../../state/store.ts";
import { clock } from "../../text/time.ts";
import type { AttentionItem } from "./attention.ts";
import { ItemRow } from "./item_row.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** What is wrong with the router itself, or waits to be confirmed: seldom, so that it comes when it is shown. */
export function FaultRow(
  { need }: { need: Exclude<AttentionItem, { readonly kind: "device" | "notice" }> },
): VNode | null {
  switch (need.kind) {
    case "confirm": {
      const current = pendingConfirm.value;
      return current && (
        <ItemRow
          icon="undo"
          title={<Name>{current.summary}</Name>}
          note={confirmNote(current.until)}
        >
          <a class="btn" href={`/admin/changes/${encodeURIComponent(current.id)}`}>{t("View")}</a>
        </ItemRow>
      );
    }
    case "network":
      return (
        <ItemRow
          icon="alert"
          title={need.text}
          note={t("The configuration shown may not be active")}
        >
          <a class="btn" href="/admin/network">{t("Network")}</a>
        </ItemRow>
      );
    case "setup":
      return (
        <ItemRow
          icon="router"
          title={need.text}
          note={t("The setup guide continues where you left off")}
        >
          <a class="btn primary" href="/admin/setup">{t("Continue")}</a>
        </ItemRow>
      );
    case "uplink":
      return (
        <ItemRow
          icon="router"
          title={
            <>
              {rich(t("WAN {name} {need}"), { name: <Name>{need.name}</Name>, need: need.text })}
            </>
          }
          note={t("No Internet access through it")}
        >
          <a class="btn" href="/admin/network">{t("Network")}</a>
        </ItemRow>
      );
  }
}

function confirmNote(until: number): string {
  return t("Reverts at {clock} unless confirmed", { clock: clock(until, true) });
}
