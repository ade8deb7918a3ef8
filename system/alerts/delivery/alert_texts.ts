import { fingerprint } from "../../multicast/relay_plan.ts";
import type { Notice } from "../../notices/schema.ts";
import type { AlertMessage } from "../alert_watch.ts";
import { NEW_DEVICE } from "../new_devices.ts";
import { type AlertToSend, type ChannelMessage, typeOf } from "./message.ts";

/** Characters of a title, and of an event that a message holds. */
const MAX_TITLE = 200, MAX_EVENT = 8192;

/** What a rule found. Alerts of one rule with the same words are about the same. */
export function fromAlert(alert: AlertMessage, id: string): AlertToSend {
  const { ruleId, name, topic, at, type, title, body, event } = alert;
  return {
    subject: fingerprint(`${title}\n${body}`),
    message: {
      ...{ id, at, type: typeOf(type), title: oneLine(title).slice(0, MAX_TITLE), text: body },
      ...{ topic: topic.slice(0, 400), source: ruleId, rule: name, repeated: 0, decides: "" },
      event: (JSON.stringify(event) ?? "").length > MAX_EVENT ? null : event,
    },
  };
}

/** A notice that opened; one of a new device can be decided about. */
export function fromNotice(notice: Notice, id: string): AlertToSend {
  const { kind, detail, data, lastAt } = notice;
  const text = kind.replaceAll("-", " ");
  return {
    subject: String(data["subject"] ?? ""),
    message: {
      ...{ id, at: lastAt, type: kind === NEW_DEVICE ? "info" : "warning" },
      title: oneLine(text.charAt(0).toUpperCase() + text.slice(1)).slice(0, MAX_TITLE),
      text: oneLine(detail).slice(0, 2000),
      ...{ topic: `alert:${kind}`, source: kind, rule: "", repeated: 0 },
      decides: kind === NEW_DEVICE ? notice.id : "",
      event: null,
    },
  };
}

/** The message that tries a channel. */
export function testMessage(
  { id, at, name }: { readonly id: string; readonly at: number; readonly name: string },
): ChannelMessage {
  return {
    ...{ id, at, type: "info", title: "Test message", topic: "test", source: "test", rule: "" },
    ...{ text: `Alerts reach the channel ${name}.`, repeated: 0, decides: "", event: null },
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim().toWellFormed();
}
