import type { components } from "../../generated/api.ts";
import { t } from "../../text/language.ts";

export type PacketLogSettings = components["schemas"]["PacketLogSettings"];

export type HistoryServerState = components["schemas"]["HistoryServerState"];

/** An event, live or stored. */
export interface ShownEvent {
  readonly topic: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly data: unknown;
}

/** A stored item as an event: its time tells when it was. */
export function storedEvent(topic: string, item: unknown): ShownEvent {
  const { time, ...rest } = item as { readonly time?: string };
  return { topic, at: Date.parse(time ?? "") || 0, data: rest };
}

/** The page that shows what an event is about; null for none. */
export function subjectOf({ topic, data }: ShownEvent): { href: string; text: string } | null {
  if (typeof data !== "object" || data === null) return null;
  const fields = data as Readonly<Record<string, unknown>>;
  const identity = fields["identity"] ?? fields["Identity"] ?? fields["MAC"];
  if (typeof identity === "string" && identity !== "" && !topic.startsWith("dhcp:response")) {
    return { href: `/admin/devices/${encodeURIComponent(identity)}`, text: t("Device") };
  }
  const change = topic === "changes" || topic === "audit" ? fields["id"] : fields["change"];
  if (typeof change === "string") {
    return { href: `/admin/changes/${encodeURIComponent(change)}`, text: t("Change") };
  }
  if (topic.startsWith("wan:") || topic.startsWith("uplink:")) {
    return { href: "/admin/uplink", text: "WAN" };
  }
  if (topic === "notices" || topic.startsWith("alert:")) {
    return { href: "/admin/alerts", text: t("Alerts") };
  }
  return topic.startsWith("dns:") ? { href: "/admin/dns", text: t("Query log") } : null;
}

/** The beginning of an event's payload, in one line. */
export function glance(data: unknown): string {
  if (typeof data !== "object" || data === null) return String(data);
  const { Rule, From, To } = data as Readonly<Record<string, unknown>>;
  // A packet of the log: what decided, and about whom.
  if (typeof Rule === "string") return `${Rule} · ${From} → ${To}`.slice(0, 300);
  return Object.entries(data).filter(([, value]) => value !== "" && value !== null)
    .map(([name, value]) =>
      `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`
    ).join(" · ").slice(0, 300);
}
