import { createECDH } from "node:crypto";
import type { Config } from "../../config.ts";
import { memo } from "../../core/config/memo.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Bus } from "../../core/events/bus.ts";
import { conflict } from "../../core/errors/problem.ts";
import { type FeedDeps, type Poll, publishFeed, waitForNews } from "../../core/ipc/feed.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hasPlan } from "../../network/has_plan.ts";
import type { Notices } from "../../notices/board.ts";
import type { AlertMessage } from "../alert_watch.ts";
import { channelOf } from "../channels/rules.ts";
import type { AlertChannel, ChannelState, ChannelTest } from "../channels/schema.ts";
import { fromAlert, fromNotice, testMessage } from "./alert_texts.ts";
import type { AlertToSend } from "./message.ts";
import type { OutboxFile } from "./outbox_file.ts";
import {
  attemptId,
  channelStates,
  dueEntries,
  type Moment,
  prunedOutbox,
  queueAlert,
  settleAttempt,
} from "./outbox_rules.ts";
import { ownNetworkOf } from "./own_network.ts";
import type { DeliveryJob, DeliveryPlan, DeliveryReport } from "./plan_schema.ts";

/** Milliseconds that a test waits for what the receiver responds: longer than an attempt may take. */
const TEST_TIMEOUT_MS = 20_000;
/** Tests that run at a time. */
const MAX_TESTS = 4;
/** Topic of what came of a message. */
const DELIVERY = "alert_channels:delivery";
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/** What {@link Deliveries} needs. */
export interface DeliveriesDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "network">;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly notices: Pick<Notices, "get">;
  readonly outbox: OutboxFile;
  /** Unix milliseconds by the trusted clock. */
  readonly now: () => number;
  /** In 0 to 1. */
  readonly random: () => number;
  readonly randomId: () => string;
  /** Private key of web push: 32 bytes. */
  readonly pushKey: Uint8Array;
  /** The machine's own name. */
  readonly hostName: string;
  /** Where the pages are; empty where that is unknown. */
  readonly origin: () => string;
  readonly failed: (error: unknown) => void;
}

interface RunningTest {
  readonly job: DeliveryJob;
  result: ChannelTest | null;
}

/** The api's side of deliveries: what waits for which channel, what notifyd is to send, what came of it. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #tests = new Map<string, RunningTest>();
  readonly #pushKey: string;
  #changes = 0;
  /** Public key of web push, in base64url. */
  readonly pushPublicKey: string;
  readonly plan: Poll<DeliveryPlan>;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#pushKey = deps.pushKey.toBase64(BASE64URL);
    this.pushPublicKey = publicKeyOf(deps.pushKey).toBase64(BASE64URL);
    const compute = memo((..._inputs: readonly unknown[]) => this.#plan());
    this.plan = publishFeed(deps, () => {
      const { config, desired, network } = deps.engine;
      this.#prune();
      return compute(
        ...[config.alertChannels, config.hostName, config.interfaces, config.dhcp],
        ...[desired.addresses, desired.facts, network.state, deps.origin()],
        ...[this.#changes, this.#dueKey()],
      );
    });
  }

  /** Queues what a rule with `SendNotification` found. */
  send(message: AlertMessage): void {
    // An alert about every delivery would be one more delivery.
    if (message.topic.startsWith(DELIVERY)) return;
    this.#queue(fromAlert(message, this.#deps.randomId()));
  }

  /** Queues notices as they open. Returns how to stop. */
  watchNotices(): () => void {
    const { bus, notices, failed } = this.#deps;
    return bus.subscribe(({ data }) => {
      const { id, kind, resolved } = data as { id: string; kind: string; resolved: boolean };
      // Alerts of rules come by send().
      if (resolved || kind === "alert" || this.#channels.length === 0) return;
      notices.get(id).then((notice) => this.#queue(fromNotice(notice, this.#deps.randomId())))
        .catch(failed);
    }, ["notices"]);
  }

  /** How the deliveries of each channel stand. */
  states(): readonly ChannelState[] {
    this.#prune();
    return channelStates(this.#deps.outbox.value, this.#channels);
  }

  /** Takes in what notifyd reports about a job. */
  take({ id, kind, message }: DeliveryReport): void {
    const { outbox, now, random } = this.#deps;
    const test = this.#tests.get(id);
    if (test !== undefined) {
      test.result = { ok: kind === "sent", message };
      this.#changes++;
      return this.#publish(test.job.channel.id, kind === "sent");
    }
    const outcome = { id, outcome: { kind, message } };
    const next = settleAttempt(outbox.value, outcome, { now: now(), random: random() });
    if (next === outbox.value) return;
    this.#set(next);
    this.#publish(id.split(" ")[0]!, kind === "sent");
  }

  /** Sends a message of its own to a channel, enabled or not, and waits for what comes of it. */
  async test(id: string): Promise<ChannelTest> {
    const { bus, ending, now, randomId } = this.#deps;
    const channel = channelOf(this.#channels, id);
    if (this.#tests.size >= MAX_TESTS) throw conflict("Other tests run; wait for their end");
    const key = randomId();
    const message = testMessage({ id: key, at: now(), name: channel.name });
    const test: RunningTest = { job: { id: key, channel, message }, result: null };
    this.#tests.set(key, test);
    this.#changes++;
    try {
      await waitForNews(
        { bus, ending },
        (waited) => test.result !== null || waited >= TEST_TIMEOUT_MS,
      );
    } finally {
      this.#tests.delete(key);
      this.#changes++;
    }
    return test.result ??
      { ok: false, message: "Nothing was sent: notifyd, which sends it, does not run" };
  }

  #publish(id: string, ok: boolean): void {
    this.#deps.bus.publish(DELIVERY, { id, ok }, { kept: false });
  }

  get #channels(): readonly AlertChannel[] {
    return this.#deps.engine.config.alertChannels;
  }

  #moment(): Moment {
    const now = this.#deps.now();
    const local = new Date(now);
    return { now, minute: local.getHours() * 60 + local.getMinutes() };
  }

  #queue(alert: AlertToSend): void {
    const { outbox } = this.#deps;
    const channels = this.#channels;
    this.#set(queueAlert(outbox.value, alert, { channels, ...this.#moment() }));
  }

  #prune(): void {
    const { outbox, now } = this.#deps;
    this.#set(prunedOutbox(outbox.value, { channels: this.#channels, now: now() }));
  }

  #set(next: OutboxFile["value"]): void {
    if (next === this.#deps.outbox.value) return;
    this.#changes++;
    this.#deps.outbox.set(next);
  }

  #dueKey(): string {
    const { outbox, now } = this.#deps;
    return dueEntries(outbox.value, now()).map(attemptId).join(" ");
  }

  #jobs(): readonly DeliveryJob[] {
    const { outbox, now } = this.#deps;
    const byId = new Map(this.#channels.map((channel) => [channel.id, channel]));
    const due = dueEntries(outbox.value, now()).flatMap((entry): DeliveryJob[] => {
      const channel = byId.get(entry.channel);
      return channel === undefined
        ? []
        : [{ id: attemptId(entry), channel, message: entry.message }];
    });
    const tests = [...this.#tests.values()].filter(({ result }) => result === null);
    return [...tests.map(({ job }) => job), ...due];
  }

  #plan(): DeliveryPlan {
    const { engine: { config, desired, network }, origin, hostName } = this.#deps;
    const decided = hasPlan(network);
    const plan = {
      jobs: decided ? [...this.#jobs()] : [],
      own: ownNetworkOf(desired, config),
      origin: origin(),
      router: config.hostName || hostName,
    };
    // The tag stands in a query, so that it is a digest, and says nothing of channels.
    const tag = decided ? fingerprint(JSON.stringify(plan)) : "undecided";
    return { tag, decided, ...plan, pushKey: this.#pushKey };
  }
}

/** The point of P-256 that belongs to a private key, uncompressed (RFC 8292 3.2). */
function publicKeyOf(key: Uint8Array): Uint8Array {
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(key);
  return new Uint8Array(pair.getPublicKey());
}
