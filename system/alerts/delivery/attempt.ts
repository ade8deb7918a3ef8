import { ntfyRequest } from "./ntfy.ts";
import type { Outcome } from "./outbox_rules.ts";
import { DeliveryError, type Outgoing, post, shown } from "./outgoing.ts";
import type { DeliveryJob, DeliveryPlan } from "./plan_schema.ts";
import { webhookRequest } from "./webhook.ts";

/** Milliseconds of one attempt, from the look-up of the name to the response. */
const ATTEMPT_MS = 15_000;

/** What of a plan holds for every message. */
export type Sources = Pick<DeliveryPlan, "own" | "origin" | "router" | "pushKey">;

/** What an attempt goes by. */
export interface AttemptOptions extends Sources, Pick<Outgoing, "resolve" | "connect"> {
  /** Unix milliseconds. */
  readonly now: number;
  /** Ends the attempt without an outcome. */
  readonly ending: AbortSignal;
  /** Milliseconds; default 15 seconds. */
  readonly patience?: number;
}

/** Sends a message once. Never throws; null where the end of the process came first. */
export async function attempt(job: DeliveryJob, options: AttemptOptions): Promise<Outcome | null> {
  const { ending, patience = ATTEMPT_MS } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  const signal = AbortSignal.any([ending, late.signal]);
  try {
    const { message, kind } = await send(job, { ...options, signal });
    return { kind, message: shown(message) };
  } catch (error) {
    if (ending.aborted) return null;
    if (error instanceof DeliveryError) return error.outcome;
    if (late.signal.aborted) {
      return { kind: "away", message: "The receiver did not respond in time" };
    }
    // What a library throws could quote a secret.
    return { kind: "away", message: "The message could not be sent" };
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  { channel, message }: DeliveryJob,
  { signal, ...options }: AttemptOptions & { readonly signal: AbortSignal },
): Promise<Outcome> {
  const outgoing: Outgoing = { ...options, localNetwork: channel.localNetwork, signal };
  switch (channel.kind) {
    case "webhook":
      return await post(webhookRequest(channel, message, options), outgoing);
    case "ntfy":
      return await post(ntfyRequest(channel, message, options), outgoing);
    case "email": {
      const { sendMail } = await import("./mail.ts");
      return await sendMail(channel, message, { ...options, outgoing });
    }
    case "push": {
      const { pushRequest, pushOutcome } = await import("./push.ts");
      const request = await pushRequest(channel, message, options);
      return pushOutcome(await post(request, outgoing));
    }
  }
}
