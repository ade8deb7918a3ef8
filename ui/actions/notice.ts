import { put } from "../api/client.ts";
import { failureText } from "../api/problem.ts";
import { loadNotices } from "../state/store.ts";
import { say } from "../state/toast.ts";
import type { Notice } from "../wire.ts";
import { t } from "../text/language.ts";

/** Minutes that a notice is snoozed. */
const SNOOZE_MINUTES = 24 * 60;

/** Resolves a notice; Undo opens it again. */
export function resolveNotice(notice: Notice): Promise<void> {
  return act(notice, { path: "resolve" }, {
    text: t("Dismissed."),
    undo: () => act(notice, { path: "reopen" }, { text: t("It is listed again.") }),
  });
}

/** Leaves a notice out for a day; Undo lists it again. */
export function snoozeNotice(notice: Notice): Promise<void> {
  const snooze = (Minutes: number) => ({ path: "snooze", body: { Minutes } });
  return act(notice, snooze(SNOOZE_MINUTES), {
    text: t("Snoozed until this time tomorrow."),
    undo: () => act(notice, snooze(0), { text: t("It is listed again.") }),
  });
}

async function act(
  { id }: Notice,
  { path, body }: { readonly path: string; readonly body?: unknown },
  done: { readonly text: string; readonly undo?: () => Promise<void> },
): Promise<void> {
  const { text, undo } = done;
  try {
    await put(`/notices/${encodeURIComponent(id)}/${path}`, body);
    say({ text, ...(undo === undefined ? {} : { onUndo: () => void undo() }) });
  } catch (error) {
    say({ text: failureText(error, (text) => t("Nothing was changed. {text}", { text })) });
  }
  await loadNotices();
}

/** Pages where the cause of a notice is fixed, by the beginning of its kind. */
const FIXES: readonly (readonly [beginning: string, href: string])[] = [
  ["network-", "/admin/network"],
  ["interfaces-renamed", "/admin/network"],
  ["uplink-", "/admin/uplink"],
  ["drift", "/admin/changes"],
  ["config-", "/admin/changes"],
  ["files-not-written", "/admin/machine/logs"],
  ["change-in-doubt", "/admin/changes"],
  ["certificate", "/admin/machine"],
  ["clock-", "/admin/machine"],
  ["update-", "/admin/machine"],
  ["disk-", "/admin/dns/settings"],
  ["dns-", "/admin/dns/settings"],
  ["dyndns-", "/admin/vpn"],
  ["vpn-", "/admin/vpn"],
  ["dhcp-", "/admin/dhcp"],
  ["pool-", "/admin/dhcp"],
  ["unknown-devices", "/admin/dhcp"],
  ["mac-", "/admin/devices"],
  ["radio", "/admin/wifi"],
  ["wifi", "/admin/wifi"],
  ["reach-test", "/admin/reach"],
  ["packages", "/admin/network"],
  ["recovery-codes", "/admin/access"],
];

/** Where the cause of a notice is fixed; null where no page does that. */
export function fixOf({ kind }: Pick<Notice, "kind">): string | null {
  return FIXES.find(([beginning]) => kind.startsWith(beginning))?.[1] ?? null;
}
