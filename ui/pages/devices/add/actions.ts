import type { Action } from "../../../actions/action.ts";
import type { Answer } from "../../../api/client.ts";
import { devices } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { freePending } from "./join_outcome.ts";
import { t } from "../../../text/language.ts";

/** What a new device may do, as a person chooses it. */
export interface NewDevice {
  readonly name: string;
  readonly access: string;
  readonly admin: boolean;
  /** Comma-separated names. */
  readonly groups: string;
}

/** A device as most are: it may use the Internet, and not administer the router. */
export const DEFAULT_DEVICE: NewDevice = { name: "", access: "internet", admin: false, groups: "" };

/** Choices of what a new device may do, widest first. */
export const CHOICES: readonly {
  readonly value: string;
  readonly label: string;
  readonly help: string;
  readonly policies: readonly string[];
}[] = [
  {
    value: "internet",
    label: t("Internet and DNS"),
    help: t("For phones, TVs, consoles"),
    policies: ["wan", "dns"],
  },
  {
    value: "dns",
    label: t("DNS only"),
    help: t("For cameras, plugs, printers; no Internet access"),
    policies: ["dns"],
  },
  {
    value: "nothing",
    label: t("No access yet"),
    help: t("Joins and waits for your approval"),
    policies: [],
  },
];

/** The fields of a new device as the API takes them. */
export function deviceBody({ name, access, admin, groups }: NewDevice): Partial<Device> {
  const policies = CHOICES.find(({ value }) => value === access)?.policies ?? [];
  return {
    Name: name.trim(),
    Policies: admin ? policies : [...policies, "noapi"],
    Groups: groups.split(",").map((one) => one.trim().toLowerCase()).filter((one) => one !== ""),
  };
}

/** Creates a pending password; the router generates it where none is given. */
export function addWifi(
  device: NewDevice,
  key: { readonly type: string; readonly password: string },
  after: (answer: Answer<Device>) => void,
): Action {
  const entry = key.password === "" ? { Type: key.type } : { Type: key.type, Psk: key.password };
  return {
    title: t("Preview: add a Wi-Fi device"),
    subject: device.name.trim() || t("The new device"),
    sentence: t("gets its own Wi-Fi password and this access once it joins."),
    button: t("Generate password"),
    done: t("has a password and can join now."),
    request: () => ({
      method: "PUT",
      path: "/device",
      query: { identity: freePending(devices.peek() ?? {}) },
      ifAbsent: true,
      body: { ...deviceBody(device), PSKEntry: entry },
    }),
    after: (answer) => after(answer as Answer<Device>),
  };
}

/** Changes the password of a pending device. */
export function renewPassword(
  identity: string,
  name: string,
  type: string,
  after: (answer: Answer<Device>) => void,
): Action {
  return {
    title: t("Preview: new password"),
    subject: name,
    sentence: t("gets a new password. The old one stops working."),
    button: t("Generate new password"),
    done: t("has a new password."),
    device: identity,
    request: () => ({
      method: "PUT",
      path: "/device",
      query: { identity },
      body: { PSKEntry: { Type: type, Psk: "" } },
    }),
    after: (answer) => after(answer as Answer<Device>),
  };
}

/** Adds a device by its address before it was ever seen. */
export function addByMac(identity: string, device: NewDevice, after: () => void): Action {
  return {
    title: t("Preview: add a device"),
    subject: device.name.trim() || identity,
    sentence: t("is added and gets this access once it joins."),
    button: t("Add device"),
    done: t("is added."),
    request: () => ({
      method: "PUT",
      path: "/device",
      query: { identity },
      body: { ...deviceBody(device), MAC: identity },
    }),
    after,
  };
}
