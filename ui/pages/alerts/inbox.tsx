import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { type Action, openPreview } from "../../actions/action.ts";
import { openApproval } from "../../actions/approve.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { loadNotices, notices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { ago, isNow } from "../../text/time.ts";
import type { Notice, Page } from "../../wire.ts";
import { NoticeButtons } from "./notice_buttons.tsx";
import { deviceHref } from "../devices/last_seen.ts";
import { t } from "../../text/language.ts";

/** Open items, the newest first, each with its acts; resolved ones on request. */
export function Inbox(): VNode {
  const all = useSignal(false);
  const resolved = useLoaded<Page<Notice>>(
    all.value ? { path: "/notices", query: { all: "true", limit: "100" } } : null,
    [all.value, notices.value],
  );
  const items = all.value ? resolved.body?.items ?? null : notices.value;
  useLinkedDecision();
  return (
    <section class="panel" aria-label={t("Inbox")}>
      {resolved.problem !== null && (
        <Fault title={t("The list could not be loaded.")}>{resolved.problem.message}</Fault>
      )}
      {items === null
        ? resolved.problem === null && <Loading what={t("alerts")} rows={4} />
        : items.length === 0
        ? (
          <div class="empty">
            <Icon name="check" />
            <h2>{t("All good")}</h2>
            <p class="s soft">{t("Nothing needs your attention.")}</p>
          </div>
        )
        : (
          <ul class="rows todo alert-items">
            {items.map((notice) => <Item key={notice.id} notice={notice} />)}
          </ul>
        )}
      <footer>
        <button
          class="btn small"
          type="button"
          aria-pressed={all.value}
          onClick={() => all.value = !all.value}
        >
          {t("Show resolved")}
        </button>
      </footer>
    </section>
  );
}

/** Opens the confirmation that the link of a message names; nothing is decided by the link itself. */
function useLinkedDecision(): void {
  const { query, route } = useLocation();
  const { notice: id = "", act = "" } = query;
  useEffect(() => {
    if (id === "") return;
    let isOver = false;
    loadNotices().then(() => {
      if (isOver) return;
      const notice = notices.value.find((one) => one.id === id);
      const chosen = ACTS.find(([name]) => name === act);
      if (notice === undefined) say({ text: t("This alert is resolved already.") });
      else if (chosen !== undefined && notice.kind === "new-device") {
        openPreview(decide(notice, chosen));
      }
      // A reload does not open it again.
      route("/admin/alerts", true);
    });
    return () => void (isOver = true);
  }, [id, act]);
}

function Item({ notice }: { notice: Notice }): VNode {
  const { detail, count, lastAt, resolvedAt, resolvedBy } = notice;
  const identity = notice.kind === "new-device" ? String(notice.data["identity"] ?? "") : "";
  const isOpen = resolvedAt === null;
  return (
    <li class={isOpen ? undefined : "resolved"}>
      <span class={isOpen ? `${toneOf(notice)}-t` : "quiet"}>
        <Icon name={identity === "" ? isOpen ? "alert" : "check" : "devices"} />
      </span>
      <div class="grow">
        <b lang="en">
          <Name>{detail}</Name>
        </b>
        <p>
          {agoText(lastAt)}
          {count > 1 && t(" · {number} times", { number: count })}
          {!isOpen && t(" · resolved by {resolvedBy}", { resolvedBy: resolvedBy ?? "" })}
        </p>
      </div>
      {isOpen && (
        <div class="row wrap">
          {identity !== "" && <Acts notice={notice} identity={identity} />}
          {typeof notice.data["topic"] === "string" && (
            <a
              class="btn"
              href={`/admin/events?topic=${encodeURIComponent(notice.data["topic"])}`}
            >
              {t("Events")}
              <span class="vh">{t("of {detail}", { detail })}</span>
            </a>
          )}
          {identity === "" && <NoticeButtons notice={notice} />}
        </div>
      )}
    </li>
  );
}

function toneOf({ data }: Notice): "danger" | "warning" {
  return data["type"] === "error" ? "danger" : "warning";
}

const ACTS = [
  ["allow", t("Preview: allow new device"), t("gets Internet access and DNS.")],
  ["guest", t("Preview: new guest device"), t("gets Internet access and DNS for a day.")],
  ["block", t("Preview: block new device"), t("is blocked.")],
] as const;

const BLOCK = ACTS[2];

/** Approval and refusal of a new device. */
function Acts({ notice, identity }: { notice: Notice; identity: string }): VNode {
  const name = String(notice.data["name"] || identity);
  return (
    <>
      <button class="btn primary" type="button" onClick={() => openApproval([identity])}>
        {t("Approve")}
        <span class="vh">{name}</span>
      </button>
      <button
        class="btn text"
        type="button"
        onClick={() => openPreview(decide(notice, BLOCK))}
      >
        {t("Block")}
        <span class="vh">{name}</span>
      </button>
      <a class="btn text" href={deviceHref(identity)}>
        {t("Review")}
        <span class="vh">{name}</span>
      </a>
    </>
  );
}

function decide(
  { id, data }: Notice,
  [act, title, sentence]: readonly [act: string, title: string, sentence: string],
): Action {
  const name = String(data["name"] || data["identity"]);
  return {
    title,
    subject: name,
    sentence,
    button: act === "block" ? t("Block device") : t("Allow device"),
    danger: act === "block",
    done: sentence,
    request: () => ({ method: "PUT", path: `/notices/${encodeURIComponent(id)}/act/${act}` }),
    after: () => void loadNotices(),
  };
}

/** How long ago something was, as a sentence begins. */
function agoText(at: number): string {
  return isNow(at, Date.now()) ? t("Just now") : ago(at);
}
