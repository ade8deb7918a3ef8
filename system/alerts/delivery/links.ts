import type { NewDeviceAct } from "../new_devices.ts";
import type { ChannelMessage } from "./message.ts";

/** Where links lead. */
export interface LinkSource {
  /** Of the pages; empty where that is unknown. */
  readonly origin: string;
}

const ACTS: readonly (readonly [NewDeviceAct, string])[] = [
  ["allow", "Allow"],
  ["guest", "Guest"],
  ["block", "Block"],
];

/** A link to a page of ours. */
export interface DecisionLink {
  readonly act: NewDeviceAct;
  readonly label: string;
  readonly url: string;
}

/**
 * Links by which to decide about a new device: each opens the page at a confirmation, which acts with the
 * rights of the user who is signed in there. None for other messages.
 */
export function decisionLinks(
  { decides }: Pick<ChannelMessage, "decides">,
  { origin }: LinkSource,
): readonly DecisionLink[] {
  if (decides === "" || origin === "") return [];
  return ACTS.map(([act, label]) => ({
    act,
    label,
    url: `${origin}/admin/alerts?notice=${encodeURIComponent(decides)}&act=${act}`,
  }));
}

/** The text of a message, with how often the same came before. */
export function messageText({ text, repeated }: ChannelMessage): string {
  if (repeated === 0) return text;
  const times = repeated === 1 ? "once more" : `${repeated} times more`;
  return `${text}${text === "" ? "" : " "}(${times} before)`;
}
