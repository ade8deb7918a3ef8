import type { Config } from "../../system/config.ts";
import {
  channelName,
  channelSecrets,
  deleteChannel,
  putChannel,
  shownChannel,
} from "../../system/alerts/channels/rules.ts";
import {
  AlertChannelRequest,
  AlertChannelShown,
  ChannelId,
  ChannelStates,
  ChannelTest,
  PushKey,
} from "../../system/alerts/channels/schema.ts";
import type { Deliveries } from "../../system/alerts/delivery/deliveries.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import * as z from "zod";
import { type Route, route } from "../http/route.ts";

/** What the routes of channels need from outside. */
export interface AlertChannelsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly deliveries: Pick<Deliveries, "states" | "test" | "pushPublicKey">;
}

const ID = "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1";
const WEBHOOK = {
  name: "Home automation",
  kind: "webhook",
  types: ["warning", "error"],
  url: "https://hooks.example.org/alerts",
  secret: "correct horse battery staple",
};

/** The channels by which alerts leave the router. */
export function alertChannelRoutes({ engine, deliveries }: AlertChannelsDeps): Route[] {
  const common = { tag: "Alerts", access: "auth" } as const;
  const list = {
    ...common,
    document: "alertChannels",
    response: z.array(AlertChannelShown),
  } as const;
  const one = { params: ChannelId, examples: { parameters: { id: ID } } } as const;
  const answered = (config: Config): [Config, AlertChannelShown[]] => [
    config,
    config.alertChannels.map(shownChannel),
  ];
  return [
    route({
      method: "GET",
      path: "/alerts/channels",
      ...list,
      summary: "Channels of alerts",
      description:
        "Where alerts with `SendNotification` and new notices are sent to. No response shows a secret.",
    }, () => engine.config.alertChannels.map(shownChannel)),
    route({
      method: "PUT",
      path: "/alerts/channels",
      ...list,
      summary: "Add or replace a channel",
      description:
        "Adds the channel under a new `id`, or replaces the one whose `id` is sent; `**` leaves a " +
        "secret as it is. A `webhook` takes `url` and `secret`, `ntfy` takes `url`, `topic` and " +
        "`token`, `email` takes `host`, `from`, `to` and what the server asks for, `push` takes what " +
        "a browser gave. Addresses of the router itself are refused, those of the local network unless " +
        "`localNetwork` is true. Responds with all channels.",
      body: AlertChannelRequest,
      examples: { body: WEBHOOK },
      errors: [404, 409, 412],
    }, (call) => {
      const { body } = call;
      const newId = crypto.randomUUID();
      return call.decide({
        kind: "alerts.channel",
        summary: `${body.id === undefined ? "Added" : "Changed"} alert channel ${body.name}`,
        secrets: () => channelSecrets(body, body.id ?? newId),
        reduce: (config) => answered(putChannel(config, body, newId)),
      }, (channels) => channels);
    }),
    route({
      method: "DELETE",
      path: "/alerts/channels/{id}",
      ...list,
      ...one,
      summary: "Delete a channel",
      description: "What waits for it is not sent any more. Responds with those that are left.",
      errors: [404, 409, 412],
    }, (call) => {
      const { id } = call.params;
      return call.decide({
        kind: "alerts.channel",
        summary: `Deleted alert channel ${channelName(engine.config.alertChannels, id)}`,
        reduce: (config) => answered(deleteChannel(config, id)),
      }, (channels) => channels);
    }),
    route({
      method: "POST",
      path: "/alerts/channels/{id}/test",
      ...common,
      ...one,
      summary: "Send a test message",
      description:
        "Sends a message to the channel, also to a disabled one, and responds with what the receiver " +
        "responded, or after twenty seconds.",
      response: ChannelTest,
      errors: [404, 409],
    }, ({ params }) => deliveries.test(params.id)),
    route({
      method: "GET",
      path: "/alerts/deliveries",
      ...common,
      summary: "How deliveries stand",
      description: "For each channel the last attempt, what waits, and what was only counted.",
      response: ChannelStates,
    }, () => [...deliveries.states()]),
    route({
      method: "GET",
      path: "/alerts/push",
      ...common,
      summary: "Key by which a browser subscribes",
      description:
        "A page calls `PushManager.subscribe` with it, and sends what it gets as a channel of the " +
        "kind `push`.",
      response: PushKey,
    }, () => ({ publicKey: deliveries.pushPublicKey })),
  ];
}
