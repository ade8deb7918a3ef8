import type { VNode } from "preact";
import { fixOf, resolveNotice, snoozeNotice } from "../../actions/notice.ts";
import type { Notice } from "../../wire.ts";
import { t } from "../../text/language.ts";

/** What a person can do about a notice: go where its cause is fixed, put it off, or be done with it. */
export function NoticeButtons({ notice }: { notice: Notice }): VNode {
  const fix = fixOf(notice);
  const { detail } = notice;
  return (
    <>
      {fix !== null && (
        <a class="btn" href={fix}>
          {t("Fix…")}
          <span class="vh">: {detail}</span>
        </a>
      )}
      <button class="btn text" type="button" onClick={() => void snoozeNotice(notice)}>
        {t("Snooze")}
        <span class="vh">: {detail}</span>
      </button>
      <button class="btn text" type="button" onClick={() => void resolveNotice(notice)}>
        {t("Dismiss")}
        <span class="vh">: {detail}</span>
      </button>
    </>
  );
}
