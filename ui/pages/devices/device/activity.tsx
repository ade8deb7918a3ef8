import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { ApiProblem, textOf } from "../../../api/problem.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { changeEvents } from "../../../state/store.ts";
import { clock, dayName } from "../../../text/time.ts";
import { type ShownEvent, storedEvent } from "../../events/wire.ts";
import { t } from "../../../text/language.ts";

/** Topics that are about one device, with the field that names it. */
const TOPICS = [
  ["leases", "identity"],
  ["device:update", "MAC"],
  ["device:vpn:online", "Identity"],
  ["device:vpn:offline", "Identity"],
  ["wifi:auth:fail", "MAC"],
] as const;

const SHOWN = 8;

/** What lately became of a device, from the stored events. */
export function Activity({ identity }: { identity: string }): VNode {
  const events = useSignal<readonly ShownEvent[] | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    let isOver = false;
    Promise.all(TOPICS.map(([topic, field]) => stored(topic, field, identity))).then(
      (lists) => {
        if (isOver) return;
        problem.value = null;
        events.value = lists.flat().sort((a, b) => b.at - a.at).slice(0, SHOWN);
      },
      (error) => isOver || (problem.value = textOf(error)),
    );
    return () => {
      isOver = true;
    };
  }, [identity, changeEvents.value]);
  const now = Date.now();
  return (
    <section class="panel" aria-labelledby="activity">
      <header>
        <h2 id="activity">{t("Activity")}</h2>
      </header>
      {problem.value !== null
        ? <Fault title={t("The activity could not be loaded.")}>{problem.value}</Fault>
        : events.value === null
        ? <Loading what={t("the activity")} rows={3} />
        : events.value.length === 0
        ? <p class="pad s quiet">{t("Nothing recorded yet.")}</p>
        : (
          <ul class="log activity">
            {events.value.map((event) => (
              <li key={`${event.at} ${event.topic}`}>
                <time dateTime={new Date(event.at).toISOString()}>
                  {dayName(event.at, now) === "Today" ? clock(event.at) : dayName(event.at, now)}
                </time>
                <span>{textFor(event)}</span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}

async function stored(
  topic: string,
  field: string,
  identity: string,
): Promise<readonly ShownEvent[]> {
  try {
    const { body } = await call<readonly unknown[] | null>({
      path: `/plugins/db/items/${encodeURIComponent(topic)}`,
      query: { num: String(SHOWN), filter: `$[?(@.${field}==${JSON.stringify(identity)})]` },
    });
    return (body ?? []).map((item) => storedEvent(topic, item));
  } catch (error) {
    // Nothing of this topic was stored yet.
    if (error instanceof ApiProblem && error.status === 404) return [];
    throw error;
  }
}

function textFor({ topic, data }: ShownEvent): string {
  const fields = data as Readonly<Record<string, unknown>>;
  switch (topic) {
    case "device:update":
      return t("Settings changed");
    case "device:vpn:online":
      return t("VPN connected");
    case "device:vpn:offline":
      return t("VPN disconnected");
    case "wifi:auth:fail":
      return t("Wi-Fi sign-in failed{fields}", {
        fields: fields["Reason"] ? `: ${fields["Reason"]}` : "",
      });
    default:
      return leaseText(fields);
  }
}

function leaseText(fields: Readonly<Record<string, unknown>>): string {
  const { kind, online, appeared } = fields;
  const ip = String(fields["ip"]), link = String(fields["link"]);
  if (kind === "release") return t("Released {ip}", { ip });
  if (kind === "station") {
    return online ? t("Joined Wi-Fi {link}", { link }) : t("Left Wi-Fi {link}", { link });
  }
  return appeared
    ? t("First seen on {link}, got {ip}", { link, ip })
    : t("Got {ip} on {link}", { ip, link });
}
