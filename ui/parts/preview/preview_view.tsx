import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { closePreview, type OpenedPreview } from "../../actions/action.ts";
import { loadPreview } from "../../actions/apply.ts";
import { textOf } from "../../api/problem.ts";
import { devices, network } from "../../state/store.ts";
import type { Preview } from "../../wire.ts";
import { Dialog } from "../overlay/dialog.tsx";
import { Diff } from "./diff.tsx";
import { Fault } from "../form/fault.tsx";
import { WriteFault } from "../form/write_fault.tsx";
import { withAdded } from "./access_changes.ts";
import { AccessSummary } from "./access_summary.tsx";
import { Icon } from "../show/icon.tsx";
import { MissingPackages } from "../show/missing_packages.tsx";
import { Loading } from "../load/loading.tsx";
import { Name } from "../show/name.tsx";
import { PreviewFooter } from "./preview_footer.tsx";
import { t, tn } from "../../text/language.ts";

/** Stays as it was left, for the previews that follow. */
let isTechnicalOpen = false;

/** The drawer before a write: what changes, for whom, and one button that applies it. */
export function PreviewView({ open }: { open: OpenedPreview }): VNode {
  const { action, preview, problem, conflicts } = open;
  const isNew = open.request === null && preview === null && problem === null &&
    conflicts.length === 0 && !open.outdated;
  useEffect(() => {
    if (isNew) void loadPreview(action);
  }, [action, isNew]);
  return (
    <Dialog
      kind="drawer"
      title={action.title}
      note={t("Nothing is applied yet")}
      closeLabel={t("Close without applying")}
      onClose={closePreview}
    >
      <div class="body" tabIndex={0} role="region" aria-label={t("Preview")}>
        {open.outdated && problem === null && (
          <Fault warning title={t("Changed by someone else.")}>
            {t("The preview shows the result with their change.")}
          </Fault>
        )}
        <section class="part" aria-label={t("Changes")}>
          <h3>{t("Changes")}</h3>
          <p>
            <Name>{action.subject}</Name> {action.sentence}
          </p>
          {action.details?.map((sentence) => <p key={sentence} class="s soft">{sentence}</p>)}
          {network.value?.state === "model" && !preview?.firstApply && (
            <p class="s warning-t">
              {t("Demo mode: the change is saved, nothing is applied on this machine.")}
            </p>
          )}
        </section>
        {preview === null && problem === null && conflicts.length === 0 && (
          <Loading what={t("the preview")} rows={3} />
        )}
        {preview !== null && <PreviewParts preview={preview} />}
        {problem !== null && (
          <WriteFault failed={t("No changes were made.")} error={problem}>
            {textOf(problem)} {problem.errors.map((item) => item.message)
              .filter((message) => message !== problem.message).join(" ")}
          </WriteFault>
        )}
      </div>
      <PreviewFooter open={open} />
    </Dialog>
  );
}

function PreviewParts({ preview }: { preview: Preview }): VNode {
  const known = withAdded(devices.value ?? {}, preview.config);
  return (
    <>
      <FirstApply first={preview.firstApply} />
      <AccessSummary preview={preview} devices={known} />
      <AdminAccess preview={preview} />
      <details
        class="part technical"
        open={isTechnicalOpen}
        onToggle={(event) => isTechnicalOpen = event.currentTarget.open}
      >
        <summary>
          {t("Technical details")}
          <span class="n">
            {tn("{count} value", "{count} values", preview.config.length)},{" "}
            {tn("{count} kernel line", "{count} kernel lines", preview.system.length)}
          </span>
        </summary>
        <Diff patch={preview.config} system={preview.system} />
      </details>
    </>
  );
}

/** With this change the router begins to work, and what is installed before. */
function FirstApply({ first }: { first: Preview["firstApply"] }): VNode | null {
  if (first === null) return null;
  return (
    <section class="part" aria-label={t("Starts the network")}>
      <h3>
        <span class="warning-t">
          <Icon name="router" small />
        </span>
        {t("Starts the network")}
      </h3>
      <p class="s">
        {t(
          "Until now nothing was applied on this machine. With this change Sluice takes over its firewall, addresses and routes.",
        )}
      </p>
      {first.items.length > 0 && <MissingPackages missing={first} open />}
    </section>
  );
}

function AdminAccess({ preview }: { preview: Preview }): VNode {
  const own = preview.reach.own;
  const stays = own === null || own.after.verdict === "accept" || own.before.verdict !== "accept";
  const text = own?.after.steps.at(-1)?.comment;
  return (
    <section class="part" aria-label={t("Your admin access")}>
      <h3>
        <span class={stays ? "" : "danger-t"}>
          <Icon name="key" small />
        </span>
        {own === null
          ? t("Your admin access is unaffected")
          : stays
          ? t("You keep admin access")
          : t("You would lose admin access")}
      </h3>
      {text && <p class="s quiet" lang="en">{text}</p>}
    </section>
  );
}
