import type { Action } from "../../../actions/action.ts";
import type { components } from "../../../generated/api.ts";
import { devices } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import { t, tn } from "../../../text/language.ts";

type Body = components["schemas"]["Approval"];
export type Preset = Body["Access"];

/** Access that a device can be approved with, widest first, in the text of the sheet. */
export const PRESETS: readonly {
  readonly name: Preset;
  readonly title: string;
  readonly help: string;
}[] = [
  { name: "internet", title: t("Internet + DNS"), help: t("For phones, laptops, TVs, consoles") },
  {
    name: "local",
    title: t("Local only"),
    help: t("For cameras, plugs, printers: no Internet access"),
  },
  { name: "guest", title: t("Guest"), help: t("Internet and DNS until it expires") },
  { name: "blocked", title: t("Blocked"), help: t("No access; it does not ask again") },
];

/** Spans of the expiry: value, label and seconds; -1 is never. */
const SPANS: readonly (readonly [value: string, label: string, seconds: number])[] = [
  ["never", t("Never"), -1],
  ["hour", t("In 1 hour"), 3600],
  ["day", t("In 1 day"), 86_400],
  ["week", t("In 1 week"), 604_800],
  ["month", t("In 30 days"), 2_592_000],
];
export const EXPIRY_OPTIONS = SPANS.map(([value, label]) => [value, label] as const);

/** What was chosen in the sheet. */
export interface Decision {
  readonly name: string;
  readonly icon: string;
  readonly preset: Preset;
  readonly group: string;
  readonly expiry: string;
}

/** What is chosen when the sheet opens: what most devices need. */
export function startOf(identities: readonly string[]): Decision {
  const [first = ""] = identities;
  const device = devices.peek()?.[first];
  return {
    name: identities.length === 1 ? device?.Name ?? "" : "",
    icon: identities.length === 1 ? device?.Style.Icon ?? "" : "",
    preset: "internet",
    group: "",
    expiry: "never",
  };
}

/** The decision as the API takes it. */
function bodyOf(identities: readonly string[], decision: Decision): Body {
  const { name, icon, preset, group, expiry } = decision;
  const [first = ""] = identities;
  const device = devices.peek()?.[first];
  const groups = group.split(",").map((one) => one.trim()).filter((one) => one !== "");
  return {
    Identities: [...identities],
    Access: preset,
    ...(identities.length === 1
      ? { Name: name.trim(), Style: { Icon: icon, Color: device?.Style.Color ?? "" } }
      : {}),
    ...(groups.length > 0 && preset !== "blocked" ? { Groups: groups } : {}),
    DeviceExpiration: preset === "blocked"
      ? -1
      : SPANS.find(([value]) => value === expiry)?.[2] ?? -1,
  };
}

/** Approves or blocks devices by one change. */
export function approveDevices(identities: readonly string[], decision: Decision): Action {
  const { preset } = decision;
  const several = identities.length > 1;
  const [first = ""] = identities;
  const subject = several
    ? tn("{count} device", "{count} devices", identities.length)
    : decision.name.trim() || nameOf(first, devices.peek()?.[first]);
  const title = PRESETS.find(({ name }) => name === preset)?.title ?? "";
  const sentence = preset === "blocked"
    ? several ? t("are blocked.") : t("is blocked.")
    : several
    ? t("are approved: {title}.", { title })
    : t("is approved: {title}.", { title });
  const button = preset === "blocked" ? t("Block") : t("Approve");
  return {
    title: preset === "blocked" ? t("Preview: block") : t("Preview: approve"),
    subject,
    sentence,
    button: !several
      ? button
      : preset === "blocked"
      ? tn("Block {count} device", "Block {count} devices", identities.length)
      : tn("Approve {count} device", "Approve {count} devices", identities.length),
    danger: preset === "blocked",
    done: sentence,
    wholeList: true,
    request: () => ({
      method: "PUT",
      path: "/devices/approve",
      body: bodyOf(identities, decision),
    }),
  };
}
