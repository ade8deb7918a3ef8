import type { Config } from "../../config.ts";
import type { SecretPath } from "../../core/engine/change.ts";
import { conflict, invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { literalFault } from "../delivery/own_network.ts";
import {
  AlertChannel,
  type AlertChannelRequest,
  type AlertChannelShown,
  MASK,
  MAX_CHANNELS,
} from "./schema.ts";

/** Fields that no response shows. The address of a webhook often holds a token, that of push always. */
export const SECRET_FIELDS = ["url", "secret", "topic", "token", "password", "auth"] as const;

/** Shortest key of a signature: 128 bits in hexadecimal digits are twice as long. */
const MIN_SECRET = 16;

/** What is wrong with a channel; `field` is a pointer. */
export interface ChannelFault {
  readonly field: string;
  readonly message: string;
}

/** Adds a channel under a new id, or replaces the one that has its id. Throws Problem 400, 404 and 409. */
export function putChannel(config: Config, sent: AlertChannelRequest, newId: string): Config {
  const channels = config.alertChannels;
  const at = sent.id === undefined ? -1 : channels.findIndex(({ id }) => id === sent.id);
  if (sent.id !== undefined && at < 0) throw noChannel();
  const stored = channels[at];
  if (stored !== undefined && stored.kind !== sent.kind) {
    throw invalid(
      "/kind",
      sentence("This channel is of the kind {kind}; add another one", { kind: stored.kind }),
    );
  }
  const channel = AlertChannel.parse({ ...sent, ...unmasked(sent, stored), id: sent.id ?? newId });
  const fault = channelFault(channel);
  if (fault !== null) throw invalid(fault.field, fault.message);
  if (channel.kind === "push" && channels.some((other) => isSameBrowser(other, channel))) {
    throw conflict("This browser is notified already");
  }
  if (stored !== undefined) return { ...config, alertChannels: channels.with(at, channel) };
  if (channels.length >= MAX_CHANNELS) {
    throw conflict(
      sentence("There are {limit} channels already; delete one", { limit: MAX_CHANNELS }),
    );
  }
  return { ...config, alertChannels: [...channels, channel] };
}

function isSameBrowser(other: AlertChannel, channel: AlertChannel): boolean {
  return other.id !== channel.id && other.kind === "push" && other.url === channel.url;
}

/** Deletes a channel. Throws Problem 404. */
export function deleteChannel(config: Config, id: string): Config {
  const at = config.alertChannels.findIndex((channel) => channel.id === id);
  if (at < 0) throw noChannel();
  return { ...config, alertChannels: config.alertChannels.toSpliced(at, 1) };
}

/** Name of a channel for the history. */
export function channelName(channels: readonly AlertChannel[], id: string): string {
  return channels.find((channel) => channel.id === id)?.name ?? id;
}

/** One channel. Throws Problem 404. */
export function channelOf(channels: readonly AlertChannel[], id: string): AlertChannel {
  const found = channels.find((channel) => channel.id === id);
  if (found === undefined) throw noChannel();
  return found;
}

function noChannel() {
  return notFound("There is no such channel");
}

/** What a kind needs, and what it cannot be; null for nothing. */
export function channelFault(channel: AlertChannel): ChannelFault | null {
  const { quietFrom, quietTo } = channel;
  if ((quietFrom === "") !== (quietTo === "")) {
    return {
      field: quietFrom === "" ? "/quietFrom" : "/quietTo",
      message: "Quiet hours need both times",
    };
  }
  return kindFault(channel) ?? literalFault(channel);
}

function kindFault(channel: AlertChannel): ChannelFault | null {
  const { kind, url, secret, topic, host, from, to, browserKey, auth, user, security } = channel;
  switch (kind) {
    case "webhook":
      if (url === "") return { field: "/url", message: "Write the address that is called" };
      return secret.length < MIN_SECRET
        ? { field: "/secret", message: `Use a key of at least ${MIN_SECRET} characters` }
        : null;
    case "ntfy":
      if (url === "") {
        return { field: "/url", message: "Write the server, such as https://ntfy.sh" };
      }
      return topic === "" ? { field: "/topic", message: "Write the topic" } : null;
    case "email":
      if (host === "") return { field: "/host", message: "Write the server for outgoing mail" };
      if (from === "") return { field: "/from", message: "Write the sender's address" };
      if (to.length === 0) return { field: "/to", message: "Write who gets the mails" };
      return user !== "" && security === "none"
        ? { field: "/security", message: "Without TLS everyone on the way could read the password" }
        : null;
    case "push":
      if (!url.startsWith("https:")) {
        return { field: "/url", message: "Send the address that the browser gave, with https" };
      }
      // RFC 8291 3.1: an uncompressed point of P-256, and 16 bytes.
      if (bytesOf(browserKey) !== 65) return { field: "/browserKey", message: "This is no p256dh" };
      return bytesOf(auth) !== 16 ? { field: "/auth", message: "This is no auth secret" } : null;
  }
}

function bytesOf(text: string): number {
  return Math.floor(text.length * 3 / 4);
}

/** A web address without what may be secret in it. */
function shownUrl(url: string): string {
  if (url === "") return "";
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/${MASK}`;
}

/** The fields that were sent masked, as they are stored. */
function unmasked(sent: AlertChannelRequest, stored: AlertChannel | undefined) {
  const kept = Object.fromEntries(
    SECRET_FIELDS.filter((field) => sent[field] === MASK).map((field) =>
      [field, stored?.[field] ?? ""] as const
    ),
  );
  if (sent.url.endsWith(`/${MASK}`)) {
    if (stored === undefined || sent.url !== shownUrl(stored.url)) {
      throw invalid("/url", `Write the whole address; ${MASK} stands only for the stored one`);
    }
    return { ...kept, url: stored.url };
  }
  return kept;
}

/** A channel for a response. */
export function shownChannel(channel: AlertChannel): AlertChannelShown {
  const masked = (secret: string): string => secret === "" ? "" : MASK;
  return {
    ...channel,
    types: [...channel.types],
    only: [...channel.only],
    to: [...channel.to],
    url: shownUrl(channel.url),
    secret: masked(channel.secret),
    topic: masked(channel.topic),
    token: masked(channel.token),
    password: masked(channel.password),
    auth: masked(channel.auth),
  };
}

/** Where the secrets are that a request says in clear. */
export function channelSecrets(sent: AlertChannelRequest, id: string): readonly SecretPath[] {
  return SECRET_FIELDS
    .filter((field) => sent[field] !== "" && !sent[field].endsWith(MASK))
    .map((field) => ({ document: "alertChannels", path: [id, field] }));
}
