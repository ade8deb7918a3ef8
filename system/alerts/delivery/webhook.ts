import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { AlertChannel } from "../channels/schema.ts";
import { decisionLinks, type LinkSource } from "./links.ts";
import type { ChannelMessage } from "./message.ts";
import type { OutgoingRequest } from "./outgoing.ts";

/**
 * The request of a webhook, signed as by https://www.standardwebhooks.com: HMAC-SHA-256 over
 * `<id>.<timestamp>.<body>`. `now`: unix milliseconds, by which the receiver refuses old copies.
 */
export function webhookRequest(
  { url, secret }: Pick<AlertChannel, "url" | "secret">,
  message: ChannelMessage,
  { router, now, ...links }: LinkSource & { readonly router: string; readonly now: number },
): OutgoingRequest {
  const { id, at, type, title, text, topic, source, rule, repeated, event } = message;
  const body = JSON.stringify({
    ...{ id, at, time: new Date(at).toISOString(), router, type, title, text },
    ...{ topic, source, rule, repeated, event: event ?? null },
    links: decisionLinks(message, links).map(({ act, url }) => ({ act, url })),
  });
  const timestamp = Math.floor(now / 1000);
  return {
    url,
    headers: {
      "Content-Type": "application/json",
      "Webhook-Id": id,
      "Webhook-Timestamp": String(timestamp),
      "Webhook-Signature": signature(secret, `${id}.${timestamp}.${body}`),
    },
    body: new TextEncoder().encode(body),
  };
}

/** A secret with the prefix `whsec_` is base64, any other is its own text. */
function signature(secret: string, content: string): string {
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : secret;
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
