import type { AlertChannel } from "../channels/schema.ts";
import { decisionLinks, type LinkSource, messageText } from "./links.ts";
import type { ChannelMessage } from "./message.ts";
import type { OutgoingRequest } from "./outgoing.ts";

/** Priorities and tags of ntfy (https://docs.ntfy.sh/publish/#publish-as-json). */
const LOOK: Readonly<Record<ChannelMessage["type"], { priority: number; tag: string }>> = {
  info: { priority: 3, tag: "information_source" },
  success: { priority: 3, tag: "white_check_mark" },
  warning: { priority: 4, tag: "warning" },
  error: { priority: 5, tag: "rotating_light" },
};

/** The request that publishes a message on an ntfy server. */
export function ntfyRequest(
  { url, topic, token }: Pick<AlertChannel, "url" | "topic" | "token">,
  message: ChannelMessage,
  links: LinkSource,
): OutgoingRequest {
  const { priority, tag } = LOOK[message.type];
  const text = messageText(message);
  const body = {
    topic,
    title: message.title,
    // ntfy writes "triggered" where there is none.
    message: text === "" ? message.title : text,
    priority,
    tags: [tag],
    ...(links.origin === "" ? {} : { click: `${links.origin}/admin/alerts` }),
    actions: decisionLinks(message, links).map(({ label, url }) => ({
      action: "view",
      label,
      url,
      clear: true,
    })),
  };
  return {
    url,
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": message.id,
      ...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
}
