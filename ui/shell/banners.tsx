import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { Icon } from "../parts/show/icon.tsx";
import { isUpdated, lazyPart } from "../parts/load/lazy.tsx";
import { movedTo, network, notices, packages, pendingConfirm } from "../state/store.ts";
import { t } from "../text/language.ts";

const ConfirmWindow = lazyPart(async () => (await import("./confirm_window.tsx")).ConfirmWindow);
const UpdateBanner = lazyPart(async () => (await import("../parts/load/updated.tsx")).UpdateBanner);
const NetworkFault = lazyPart(async () => (await import("./network_fault.tsx")).NetworkFault);
const NoticeLine = lazyPart(async () => (await import("./notice_line.tsx")).NoticeLine);

/** What stands above every page while there is reason to; each comes when it is first shown. */
export function Banners(): VNode {
  return (
    <>
      <ConfirmBanner />
      {isUpdated.value && <UpdateBanner />}
      <NetworkBanner />
      <Notices />
    </>
  );
}

/**
 * The confirm window while a change waits in one. Its code is there soon after the first page: a change
 * may move the router to where this page can load none.
 */
function ConfirmBanner(): VNode | null {
  return pendingConfirm.value === null && movedTo.value === null ? null : <ConfirmWindow />;
}

/** Says when the kernel does not do what is shown. */
function NetworkBanner(): VNode | null {
  const now = network.value;
  if (now === null) return null;
  const { state, detail, drift = [] } = now;
  if (state === "applied" && drift.length === 0) return null;
  if (state !== "model" || packages.value?.installing) return <NetworkFault now={now} />;
  return (
    <div class="banner" role="region" aria-label={t("Network status")}>
      <Icon name="alert" />
      <p>
        <b>{t("Demo mode")}</b>{" "}
        <span class="soft">
          {detail ?? t("Changes are saved, nothing is applied on this machine.")}
        </span>
      </p>
    </div>
  );
}

/** Kinds that come often, so that the bell alone counts them. */
const IN_THE_BELL: readonly string[] = ["alert", "new-device"];
/** Pages that list the same themselves. */
const LISTED_ON: readonly string[] = ["/admin", "/admin/alerts"];

/** What waits for a person, each with the way to close it. */
function Notices(): VNode | null {
  const { path } = useLocation();
  const shown = notices.value.filter(({ kind }) => !IN_THE_BELL.includes(kind));
  if (shown.length === 0 || LISTED_ON.includes(path.replace(/\/$/, ""))) return null;
  return (
    <section aria-label={t("Notices")}>
      {shown.map((notice) => <NoticeLine key={notice.id} notice={notice} />)}
    </section>
  );
}
