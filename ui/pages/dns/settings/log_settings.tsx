import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openPreview } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { call } from "../../../api/client.ts";
import { Field } from "../../../parts/form/field.tsx";
import { DeleteDialog } from "../../../parts/overlay/delete_dialog.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { changeEvents } from "../../../state/store.ts";
import { day } from "../../../text/time.ts";
import { say } from "../../../state/toast.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { clientText } from "../log/clients.ts";
import { keepOf, setKept } from "../log/actions.ts";
import type { LogSettings, LogState } from "../wire.ts";
import { sizeText } from "../../../text/format.ts";
import { bare } from "../text.ts";
import { t } from "../../../text/language.ts";

/** Settings of the query log: logging, retention, and devices that are not logged. */
export function LogSettingsPanel(
  { now, etag }: { now: LogSettings; etag: string | null },
): VNode {
  const state = useLoaded<LogState>({ path: "/plugins/dns/log/status" }, [changeEvents.value]);
  const deleting = useSignal(false);
  return (
    <section class="panel" aria-labelledby="kept">
      <header>
        <h2 id="kept">{t("Query log")}</h2>
        {state.body !== null && (
          <span class="note">
            {sizeText(state.body.bytes)}
            {state.body.oldest !== null && t(", since {day}", { day: day(state.body.oldest) })}
          </span>
        )}
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("Log DNS queries")}</b>
            <p>{t("Off: queries are only shown live")}</p>
          </div>
          <Switch
            label={t("Log DNS queries")}
            on={now.StoreLocalMemory}
            onFlip={() => openPreview(keepAny(!now.StoreLocalMemory, etag))}
          />
        </li>
        {now.HostPrivacyIPList.map((address) => (
          <Hidden
            key={address}
            word={clientText(address)}
            note={t("queries are not logged")}
            onShow={() =>
              openPreview(keepOf({ name: clientText(address), address }, true, { now, etag }))}
          />
        ))}
        {now.DomainIgnoreList.map((domain) => (
          <Hidden
            key={domain}
            word={bare(domain)}
            note={t("not logged")}
            onShow={() => openPreview(keepDomain(domain, { now, etag }))}
          />
        ))}
      </ul>
      <Room now={now} etag={etag} />
      <footer>
        <button class="btn small danger" type="button" onClick={() => deleting.value = true}>
          {t("Clear log")}
        </button>
      </footer>
      {deleting.value && (
        <DeleteDialog
          name="The query log of all devices"
          loss={t("New queries are still logged.")}
          act={async () => {
            await call({ method: "DELETE", path: "/plugins/dns/log/entries" });
            say({ text: t("Query log cleared.") });
            state.reload();
          }}
          onClose={() => deleting.value = false}
        />
      )}
    </section>
  );
}

function Hidden(
  { word, note, onShow }: { word: string; note: string; onShow: () => void },
): VNode {
  return (
    <li>
      <div>
        <b>
          <Name>{word}</Name>
        </b>
        <p>{note}</p>
      </div>
      <button
        class="icon-btn small"
        type="button"
        aria-label={t("Log again: {word}", { word })}
        onClick={onShow}
      >
        <Icon name="x" small />
      </button>
    </li>
  );
}

function keepAny(on: boolean, etag: string | null) {
  return setKept({ StoreLocalMemory: on }, {
    subject: t("This router"),
    sentence: on
      ? t("logs DNS queries.")
      : t("no longer logs DNS queries. Existing entries stay until you clear them."),
    button: on ? t("Log queries") : t("Stop logging"),
  }, etag);
}

function keepDomain(
  domain: string,
  { now, etag }: { readonly now: LogSettings; readonly etag: string | null },
) {
  return setKept({ DomainIgnoreList: now.DomainIgnoreList.filter((one) => one !== domain) }, {
    subject: bare(domain),
    sentence: t("is logged again."),
    button: t("Log queries"),
  }, etag);
}

/** Retention by time and size. */
function Room({ now, etag }: { now: LogSettings; etag: string | null }): VNode {
  const days = useSignal(String(now.RetentionDays));
  const room = useSignal(String(now.RetentionMegabytes));
  useEffect(() => {
    days.value = String(now.RetentionDays);
    room.value = String(now.RetentionMegabytes);
  }, [now.RetentionDays, now.RetentionMegabytes]);
  const write = useForm({
    check: () => [
      ...whole("RetentionDays", days.value),
      ...whole("RetentionMegabytes", room.value),
    ],
    send: ({ overwrite: over }) =>
      applyOrPreview(setKept(
        { RetentionDays: Number(days.value), RetentionMegabytes: Number(room.value) },
        {
          subject: t("Queries"),
          sentence: t("are kept for {days} days, in at most {room} MB.", {
            days: days.value,
            room: room.value,
          }),
          button: t("Save"),
        },
        over ? null : etag,
      )),
  });
  return (
    <Form write={write} class="form pad" failed={t("The log settings were not saved.")}>
      <div class="pair">
        <Field
          label={t("Retention (days)")}
          help={t("1 to 365")}
          inputMode="numeric"
          autocomplete="off"
          {...write.text("RetentionDays", days)}
        />
        <Field
          label={t("Max. size (MB)")}
          help={t("10 or more. Oldest entries go first")}
          inputMode="numeric"
          autocomplete="off"
          {...write.text("RetentionMegabytes", room)}
        />
      </div>
      <div class="row">
        <SubmitButton write={write} class="btn">{t("Save")}</SubmitButton>
      </div>
    </Form>
  );
}

function whole(name: string, text: string) {
  return /^\d{1,6}$/.test(text.trim())
    ? []
    : [{ pointer: `/${name}`, message: t("Enter a whole number") }];
}
