import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import webpush from "web-push";
import type { AlertChannel } from "../channels/schema.ts";
import { messageText } from "./links.ts";
import type { ChannelMessage } from "./message.ts";
import type { Outcome } from "./outbox_rules.ts";
import type { OutgoingRequest } from "./outgoing.ts";

/** Seconds that a push service keeps a message for a browser that is away: a day. */
const TTL_S = 86_400;

/**
 * The request to a push service: encrypted for the browser (RFC 8291), signed by the router's key (RFC
 * 8292). `pushKey`: the private key, 32 bytes in base64url.
 */
export function pushRequest(
  { url, browserKey, auth }: Pick<AlertChannel, "url" | "browserKey" | "auth">,
  message: ChannelMessage,
  { pushKey, router }: { readonly pushKey: string; readonly router: string },
): OutgoingRequest {
  const { id, at, type, title, decides } = message;
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(Buffer.from(pushKey, "base64url"));
  const payload = JSON.stringify({
    ...{ id, at, type, title, text: messageText(message), decides, router },
  });
  const { endpoint, headers, body } = webpush.generateRequestDetails(
    { endpoint: url, keys: { p256dh: browserKey, auth } },
    payload,
    {
      TTL: TTL_S,
      contentEncoding: "aes128gcm",
      urgency: type === "error" ? "high" : "normal",
      // A second copy replaces one that was not delivered yet (RFC 8030 5.4).
      topic: id.replaceAll("-", ""),
      vapidDetails: {
        // A contact for operators of push services, which they require; the domain is reserved (RFC 2606).
        subject: "mailto:admin@sluice.invalid",
        publicKey: pair.getPublicKey("base64url"),
        privateKey: pushKey,
      },
    },
  );
  // The connection counts the bytes itself.
  const others = Object.entries(headers).filter(([name]) => !/^content-length$/i.test(name));
  return {
    url: endpoint,
    headers: Object.fromEntries(others.map(([name, value]) => [name, String(value)])),
    body: new Uint8Array(body ?? []),
  };
}

/** What a push service responded; a subscription that ended has words of its own (RFC 8030 7.3). */
export function pushOutcome({ kind, message }: Outcome): Outcome {
  return /^(404|410)\b/.test(message)
    ? { kind, message: `${message}: this browser is not subscribed any more` }
    : { kind, message };
}
