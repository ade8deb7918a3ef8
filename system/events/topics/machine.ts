import * as z from "zod";
import { document, text, type Topic, whole } from "./topic.ts";

const LogLine = z.strictObject({
  level: text,
  msg: text,
  time: z.iso.datetime(),
  func: text,
  file: text,
});
const NoticeEvent = z.strictObject({ id: text, kind: text, resolved: z.boolean() });

/** An alert, as existing clients show it; a notice has its own data besides. */
const AlertEvent = z.looseObject({
  Topic: text,
  RuleId: text,
  NotificationType: text.optional(),
  Title: text.optional(),
  Body: text.optional(),
  Event: z.unknown().optional(),
  Values: z.array(z.unknown()).optional(),
  State: text,
});
/** An attempt to send a message; `id` is that of the channel. */
const ChannelDelivery = z.strictObject({ id: text, ok: z.boolean() });
const TimeSynced = z.strictObject({ by: text, ip: text, status: whole });

/** `from` and `to`: unix milliseconds. */
const TimeSet = z.strictObject({ by: text, ip: text, from: z.number(), to: z.number() });
const PackagesInstalling = z.strictObject({ installing: z.boolean() });
const By = z.strictObject({ by: text });

const PluginInstall = z.strictObject({ GitURL: text, Reason: text, Name: text });

const PluginStates = z.strictObject({
  items: z.array(z.strictObject({ name: text, state: text, detail: text })),
});

/** Topics of the router itself, its alerts and its log. */
export const MACHINE_TOPICS: readonly Topic[] = [
  {
    name: "alert:",
    what: "a notice opens, or an alert rule fires",
    path: "/alerts",
    payload: AlertEvent,
  },
  document("alert_channels", "/alerts/channels", "the channels of alerts"),
  {
    name: "alert_channels:delivery",
    what: "a message was sent to a channel, or could not be",
    path: "/alerts/deliveries",
    payload: ChannelDelivery,
    passing: true,
  },
  document("alerts", "/alerts", "alert rules"),
  document("events", "/plugins/db/config", "settings of the event store"),
  document("compose_paths", "/plugin/custom_compose_paths", "compose files of plugins"),
  document("hostname", "/info/hostname", "the router's name"),
  { name: "log:api", what: "a line of the api's log", path: "/logs", payload: LogLine },
  {
    name: "notices",
    what: "a notice opened or was resolved",
    path: "/notices",
    payload: NoticeEvent,
  },
  {
    name: "packages",
    what: "Debian packages are being installed, or that has ended",
    path: "/packages",
    payload: PackagesInstalling,
  },
  document("plugins", "/plugins_api", "the plugins"),
  {
    name: "plugins:state",
    what: "how Deno plugins run changed",
    path: "/plugin/status",
    payload: PluginStates,
    passing: true,
  },
  {
    name: "plugin:docker:failure",
    what: "containers of a plugin did not start or stop",
    path: "/plugins",
    payload: z.strictObject({ Reason: text, Message: text, ComposeFile: text }),
  },
  {
    name: "plugin:download:exists",
    what: "a plugin that is installed is fetched from its repository again",
    path: "/plugins",
    payload: z.strictObject({ GitURL: text }),
  },
  {
    name: "plugin:download:failure",
    what: "a plugin could not be fetched from its repository, or is none",
    path: "/plugins",
    payload: z.strictObject({ GitURL: text, Reason: text }),
  },
  {
    name: "plugin:download:success",
    what: "a plugin was fetched from its repository, to be approved",
    path: "/plugins",
    payload: z.strictObject({ GitURL: text }),
  },
  {
    name: "plugin:install:failure",
    what: "a plugin from a repository could not be installed",
    path: "/plugins",
    payload: PluginInstall,
  },
  {
    name: "plugin:install:status",
    what: "a plugin from a repository was installed or updated",
    path: "/plugins",
    payload: PluginInstall,
  },
  {
    name: "system:restart",
    what: "an admin restarts Sluice",
    path: "/status",
    payload: By,
  },
  {
    name: "system:time:set",
    what: "the clock was set by hand",
    path: "/time",
    payload: TimeSet,
  },
  {
    name: "system:time:sync",
    what:
      "an admin had the clock synchronised, or it could not be; `status` is that of the response",
    path: "/time",
    payload: TimeSynced,
  },
  document("themes", "/customThemes", "colour themes"),
  document("updates", "/autoupdate", "update settings"),
];
