import type { Action } from "../../actions/action.ts";
import { devices } from "../../state/store.ts";
import type { Device, Devices } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";
import { t, tn } from "../../text/language.ts";

const NAMED = 6;

/** What is added to several devices, or removed from them. */
export interface BulkEdit {
  readonly field: "Groups" | "DeviceTags" | "Policies";
  readonly values: readonly string[];
  /** As it is called in sentences. */
  readonly text: string;
  readonly add: boolean;
}

function subject(identities: readonly string[]): string {
  const [first] = identities;
  return identities.length === 1 && first !== undefined
    ? nameOf(first, devices.value?.[first])
    : tn("{count} device", "{count} devices", identities.length);
}

/** Which ones they are, as far as a sentence holds them. */
function named(identities: readonly string[]): readonly string[] {
  if (identities.length < 2) return [];
  const names = identities.slice(0, NAMED).map((one) => nameOf(one, devices.value?.[one]));
  const rest = identities.length - names.length;
  return [
    rest > 0
      ? t("{names} and {rest} more.", { names: names.join(", "), rest })
      : `${names.join(", ")}.`,
  ];
}

/** Every device as it stands, some of them changed: one write, so that all of it happens or nothing. */
function everyDevice(
  identities: readonly string[],
  change: (device: Device) => Partial<Device>,
): Devices {
  const chosen = new Set(identities);
  return Object.fromEntries(
    Object.entries(devices.value ?? {}).map(([identity, device]) => [
      identity,
      chosen.has(identity) ? { ...device, ...change(device) } : device,
    ]),
  );
}

/** What adding and removing does to one device, and to several. */
function sentenceOf({ field, add, text }: BulkEdit, several: boolean): string {
  const what = { what: text };
  switch (field) {
    case "Groups":
      if (several) return add ? t("join {what}.", what) : t("leave {what}.", what);
      return add ? t("joins {what}.", what) : t("leaves {what}.", what);
    case "DeviceTags":
      if (several) return add ? t("get the tag {what}.", what) : t("lose the tag {what}.", what);
      return add ? t("gets the tag {what}.", what) : t("loses the tag {what}.", what);
    case "Policies":
      if (several) return add ? t("get {what}.", what) : t("lose {what}.", what);
      return add ? t("gets {what}.", what) : t("loses {what}.", what);
  }
}

/** The same on all but one of them; null where that leaves none. */
function sparing(
  identities: readonly string[],
  again: (others: readonly string[]) => Action,
): NonNullable<Action["excluding"]> {
  return (own) => {
    const others = identities.filter((one) => one !== own);
    return others.length === 0 || others.length === identities.length ? null : again(others);
  };
}

/** Adds labels or policies to several devices, or removes them. */
export function editMany(identities: readonly string[], edit: BulkEdit): Action {
  const { field, values, add } = edit;
  const amount = tn("{count} device", "{count} devices", identities.length);
  const sentence = sentenceOf(edit, identities.length > 1);
  const taken = (device: Device) => device[field].filter((one) => !values.includes(one));
  return {
    title: t("Preview: {edit}", { edit: edit.text }),
    subject: subject(identities),
    sentence,
    details: [
      ...named(identities),
      ...(field === "Groups" && add ? [t("Members reach each other on all ports.")] : []),
    ],
    button: add ? t("Add to {amount}", { amount }) : t("Remove from {amount}", { amount }),
    done: sentence,
    ...(add ? {} : { wholeList: true }),
    excluding: sparing(identities, (others) => editMany(others, edit)),
    request: () =>
      add
        ? {
          method: "PUT",
          path: "/devices/bulk",
          body: { Identities: identities, [field === "DeviceTags" ? "Tags" : field]: values },
        }
        : {
          method: "PUT",
          path: "/devices",
          body: everyDevice(identities, (device) => ({ [field]: taken(device) })),
        },
  };
}

/** Blocks many devices by one write. */
export function blockMany(identities: readonly string[]): Action {
  return {
    title: t("Preview: block"),
    subject: subject(identities),
    sentence: t("is blocked in both directions until you unblock it."),
    details: named(identities),
    button: tn("Block {count} device", "Block {count} devices", identities.length),
    danger: true,
    done: t("is blocked in both directions until you unblock it."),
    wholeList: true,
    excluding: sparing(identities, blockMany),
    request: () => ({
      method: "PUT",
      path: "/devices",
      body: everyDevice(identities, ({ Policies }) => ({
        DeviceDisabled: true,
        Policies: [...new Set([...Policies, "disabled"])],
      })),
    }),
  };
}

/** Deletes many devices by one write, and says what goes with them. */
export function deleteMany(identities: readonly string[], after: () => void): Action {
  const chosen = identities.map((one) => devices.value?.[one]).filter((one) => one !== undefined);
  const how = (test: (device: Device) => unknown) => chosen.filter(test).length;
  const passwords = how(({ PSKEntry }) => PSKEntry.Type);
  const keys = how(({ WGPubKey }) => WGPubKey);
  const lost = [
    tn("{count} address", "{count} addresses", how(({ RecentIP }) => RecentIP)),
    passwords > 0 && tn("{count} Wi-Fi password", "{count} Wi-Fi passwords", passwords),
    keys > 0 && tn("{count} VPN key", "{count} VPN keys", keys),
    t("all policies, groups and tags"),
  ].filter((part) => typeof part === "string");
  return {
    title: tn(
      "Preview: delete {count} device",
      "Preview: delete {count} devices",
      identities.length,
    ),
    subject: subject(identities),
    sentence: identities.length === 1 ? t("is deleted.") : t("are deleted."),
    details: [
      ...named(identities),
      t("Also deleted: {lost}.", { lost: lost.join(", ") }),
      t("A device that joins again needs approval. You can undo this."),
    ],
    button: tn("Delete {count} device", "Delete {count} devices", identities.length),
    danger: true,
    done: identities.length === 1 ? t("is deleted.") : t("are deleted."),
    excluding: sparing(identities, (others) => deleteMany(others, after)),
    request: () => ({ method: "DELETE", path: "/devices", body: identities }),
    after,
  };
}
