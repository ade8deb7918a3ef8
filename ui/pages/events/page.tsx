import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { CodeView } from "../../parts/show/code_view.tsx";
import { Name } from "../../parts/show/name.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { clock, dayName } from "../../text/time.ts";
import { useStream } from "../dns/log/stream.ts";
import { HistoryServer } from "./history_server.tsx";
import { PacketLog } from "./packet_log.tsx";
import { useStoredEvents } from "./stored_events.ts";
import { glance, type ShownEvent, subjectOf } from "./wire.ts";
import { SearchField } from "../../parts/table/search_field.tsx";
import { t } from "../../text/language.ts";
import "../../styles/pages/alerts.css";

/** Events that are shown at most. */
const SHOWN = 200;

/** What happens, live, and what was stored of one topic. */
export default function EventsPage({ title }: PageProps): VNode {
  const { query } = useLocation();
  const topic = useSignal(query["topic"] ?? "");
  const text = useSignal("");
  const condition = useSignal("");
  const live = useSignal(true);
  const received = useSignal<readonly ShownEvent[]>([]);
  const opened = useSignal<ShownEvent | null>(null);
  const topics = useLoaded<readonly string[]>({ path: "/plugins/db/topics" }, []);
  const isStored = topic.value !== "" && (topics.body?.includes(topic.value) ?? false);
  const stored = useStoredEvents(
    isStored ? { topic: topic.value, condition: condition.value, num: SHOWN } : null,
  );
  // Live events do not pass the condition, which the router judges stored ones by.
  useStream(live.value && condition.value === "" ? topic.value : null, (event) => {
    received.value = [event, ...received.value].slice(0, SHOWN);
  });
  const earliest = received.value.at(-1)?.at ?? Infinity;
  const wanted = text.value.toLowerCase();
  const events = [
    ...received.value,
    ...stored.events.filter(({ at }) => at < earliest),
  ].filter(({ topic, data }) =>
    wanted === "" || `${topic} ${JSON.stringify(data)}`.toLowerCase().includes(wanted)
  ).slice(0, SHOWN);

  return (
    <>
      <PageHead title={title} note={t("What happens, as it happens")}>
        <span class="row">
          <span aria-hidden="true">{t("Live")}</span>
          <Switch label={t("Live")} on={live.value} onFlip={() => live.value = !live.value} />
        </span>
      </PageHead>
      <div class="stack">
        <section class="panel" aria-label={t("Events")}>
          <div class="pad event-tools">
            <SearchField
              label={t("Search events")}
              text={text.value}
              onText={(wanted) => text.value = wanted}
            />
            <SelectField
              label={t("Topic")}
              value={topic.value}
              options={[
                ["", t("All topics, live")],
                ...[...new Set([...topics.body ?? [], ...(topic.value ? [topic.value] : [])])]
                  .sort().map((name) => [name, name] as const),
              ]}
              onValue={(name) => {
                topic.value = name;
                condition.value = "";
                received.value = [];
              }}
            />
          </div>
          {isStored && (
            <Condition
              key={topic.value}
              onSearch={(wanted) => {
                condition.value = wanted;
                received.value = [];
              }}
            />
          )}
          {(topics.problem?.message ?? stored.problem) !== null && (
            <Fault title={t("Stored events could not be loaded.")}>
              {topics.problem?.message ?? stored.problem}
            </Fault>
          )}
          {stored.searchedTo !== null && (
            <p class="pad s quiet" role="status">
              {t("Searched back to {dayName},", {
                dayName: dayName(stored.searchedTo, Date.now()),
              })} {clock(stored.searchedTo, true)} …
            </p>
          )}
          {events.length === 0
            ? (
              <p class="pad s quiet">
                {wanted !== ""
                  ? t("No matches for “{text}”.", { text: text.value })
                  : stored.searchedTo !== null
                  ? t("Nothing found so far.")
                  : condition.value !== ""
                  ? t("No stored events match the condition.")
                  : topic.value === ""
                  ? t("Nothing yet. Events appear as they happen; choose a topic for stored ones.")
                  : t("No events of this topic.")}
              </p>
            )
            : (
              <ul class="event-list">
                {events.map((event, index) => (
                  <Row key={`${event.at} ${event.topic} ${index}`} event={event} opened={opened} />
                ))}
              </ul>
            )}
        </section>
        <PacketLog />
        <HistoryServer />
      </div>
      {opened.value !== null && (
        <EventDialog
          event={opened.value}
          onClose={() => opened.value = null}
        />
      )}
    </>
  );
}

/** Asks for a condition on the stored events of a topic. */
function Condition({ onSearch }: { onSearch: (condition: string) => void }): VNode {
  const text = useSignal("");
  return (
    <form
      class="pad event-tools"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.value.trim());
      }}
    >
      <Field
        label={t("Condition on stored events")}
        value={text.value}
        placeholder={t('$[?(@.name=="printer")]')}
        onValue={(value) => text.value = value}
      />
      <button type="submit" class="btn">{t("Search")}</button>
    </form>
  );
}

function Row(
  { event, opened }: { event: ShownEvent; opened: { value: ShownEvent | null } },
): VNode {
  const when = new Date(event.at);
  return (
    <li>
      <button type="button" onClick={() => opened.value = event}>
        <time dateTime={when.toISOString()}>{clock(event.at, true)}</time>
        <b>
          <Name>{event.topic}</Name>
        </b>
        <span class="quiet trunc">
          <Name>{glance(event.data)}</Name>
        </span>
      </button>
    </li>
  );
}

function EventDialog({ event, onClose }: { event: ShownEvent; onClose: () => void }): VNode {
  const subject = subjectOf(event);
  return (
    <Dialog
      kind="drawer"
      title={<Name>{event.topic}</Name>}
      note={`${dayName(event.at, Date.now())}, ${clock(event.at, true)}`}
      onClose={onClose}
    >
      <div class="body stack">
        <CodeView title={t("Payload")} text={JSON.stringify(event.data, null, 2) ?? ""} />
        {subject !== null && (
          <div class="row">
            <a class="btn" href={subject.href}>{subject.text}</a>
          </div>
        )}
      </div>
    </Dialog>
  );
}
