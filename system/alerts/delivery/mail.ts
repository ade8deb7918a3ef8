import nodemailer from "nodemailer";
import type { AlertChannel } from "../channels/schema.ts";
import { decisionLinks, type LinkSource, messageText } from "./links.ts";
import type { ChannelMessage } from "./message.ts";
import type { Outcome } from "./outbox_rules.ts";
import { allowedAddresses, DeliveryError, type Outgoing, unlessAborted } from "./outgoing.ts";

/** Ports of submission (RFC 8314 3): with TLS from the start, and with STARTTLS. */
const PORTS = { tls: 465, starttls: 587, none: 25 } as const;
/** Milliseconds for the connection, for the greeting, and without data. */
const TIMEOUTS = { connectionTimeout: 8000, greetingTimeout: 8000, socketTimeout: 12_000 };

/** A mail: its headers are one line each. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly date: Date;
}

/** The mail of a message. Throws {@link DeliveryError} where a header would have a line break. */
export function mailOf(
  { from, to }: Pick<AlertChannel, "from" | "to">,
  message: ChannelMessage,
  { router, ...links }: LinkSource & { readonly router: string },
): Mail {
  const decisions = decisionLinks(message, links);
  const mail = {
    from,
    to,
    subject: message.title,
    text: [
      messageText(message),
      "",
      ...decisions.map(({ label, url }) => `${label}: ${url}`),
      ...(decisions.length === 0 ? [] : [""]),
      `${router}, ${new Date(message.at).toISOString()}`,
      ...(links.origin === "" ? [] : [`${links.origin}/admin/alerts`]),
    ].join("\n"),
    // The same in every attempt (RFC 5322 3.6.4), so that a repetition can be recognised.
    messageId: `<${message.id}@${from.split("@")[1] ?? "localhost"}>`,
    date: new Date(message.at),
  };
  for (const header of [mail.from, ...mail.to, mail.subject, mail.messageId]) {
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(header)) {
      throw new DeliveryError("refused", "Not sent: a header of the mail has a line break");
    }
  }
  return mail;
}

/** Sends a mail by SMTP to a checked address of the server. Throws {@link DeliveryError}. */
export async function sendMail(
  channel: AlertChannel,
  message: ChannelMessage,
  { outgoing, trusted = [], ...sources }: LinkSource & {
    readonly router: string;
    readonly outgoing: Outgoing;
    /** Certificates (PEM) that are trusted beside the usual ones. */
    readonly trusted?: readonly string[];
  },
): Promise<Outcome> {
  const mail = mailOf(channel, message, sources);
  const { host, port, security, user, password } = channel;
  const [address] = await allowedAddresses(host, outgoing);
  const transport = nodemailer.createTransport({
    // The checked address: a second look-up could give another.
    host: address!,
    port: port || PORTS[security],
    // An address literal, since the server need not know what this machine is called (RFC 5321 4.1.3).
    name: "[127.0.0.1]",
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user === "" ? {} : { auth: { user, pass: password } }),
    tls: { servername: host, ...(trusted.length === 0 ? {} : { ca: [...trusted] }) },
    ...TIMEOUTS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const end = (): void => transport.close();
  outgoing.signal.addEventListener("abort", end, { once: true });
  try {
    const sent = await unlessAborted(
      transport.sendMail({ ...mail, to: [...mail.to] }),
      outgoing.signal,
    );
    return { kind: "sent", message: sent.response };
  } catch (error) {
    outgoing.signal.throwIfAborted();
    throw failure(error, host);
  } finally {
    outgoing.signal.removeEventListener("abort", end);
    transport.close();
  }
}

/** What an error of nodemailer means: the server's own words where there are some (RFC 5321 4.2.1). */
function failure(error: unknown, host: string): DeliveryError {
  const { code, responseCode, response, message } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly response?: string;
    readonly message?: string;
  };
  if (responseCode !== undefined && response !== undefined) {
    return new DeliveryError(responseCode >= 500 ? "refused" : "busy", response);
  }
  if (code === "ETLS" || /certificate|self.signed|UnknownIssuer/i.test(message ?? "")) {
    return new DeliveryError("refused", `${host}: no TLS with a valid certificate`);
  }
  return new DeliveryError(
    "away",
    `${host}: ${
      code === "ETIMEDOUT" ? "no response" : "the connection was refused or interrupted"
    }`,
  );
}
