import type { VNode } from "preact";
import { closePreview, type OpenedPreview } from "../../actions/action.ts";
import { textOf } from "../../api/problem.ts";
import { devices, network } from "../../state/store.ts";
import type { AccessChange, Devices, Preview } from "../../wire.ts";
import { count } from "../../text/format.ts";
import { Dialog } from "../overlay/dialog.tsx";
import { Diff } from "./diff.tsx";
import { Fault } from "../form/fault.tsx";
import { accessRows, connectionCount, withAdded } from "./access_changes.ts";
import { Icon } from "../show/icon.tsx";
import { MissingPackages } from "../show/missing_packages.tsx";
import { Loading } from "../load/loading.tsx";
import { Name } from "../show/name.tsx";
import { PreviewFooter } from "./preview_footer.tsx";

const MAX_EFFECTS = 30;

/** The drawer before a write: what changes, for whom, and one button that applies it. */
export function PreviewView({ open }: { open: OpenedPreview }): VNode {
  const { action, preview, problem, conflicts } = open;
  return (
    <Dialog
      kind="drawer"
      title={action.title}
      note="Nothing is applied yet"
      closeLabel="Close without applying"
      onClose={closePreview}
    >
      <div class="body" tabIndex={0} role="region" aria-label="Preview">
        {open.outdated && (
          <Fault warning title="Changed by someone else.">
            The preview shows the result with their change.
          </Fault>
        )}
        <section class="part" aria-label="Changes">
          <h3>Changes</h3>
          <p>
            <Name>{action.subject}</Name> {action.sentence}
          </p>
          {action.details?.map((sentence) => <p key={sentence} class="s soft">{sentence}</p>)}
          {network.value?.state === "model" && !preview?.firstApply && (
            <p class="s warning-t">
              Demo mode: the change is saved, nothing is applied on this machine.
            </p>
          )}
        </section>
        {preview === null && problem === null && conflicts.length === 0 && (
          <Loading what="the preview" rows={3} />
        )}
        {preview !== null && <PreviewParts preview={preview} />}
        {problem !== null && (
          <Fault title="No changes were made.">
            {textOf(problem)} {problem.errors.map((item) => item.message)
              .filter((message) => message !== problem.message).join(" ")}
          </Fault>
        )}
      </div>
      <PreviewFooter open={open} />
    </Dialog>
  );
}

function PreviewParts({ preview }: { preview: Preview }): VNode {
  const { allowed, denied, more } = preview.reach;
  const known = withAdded(devices.value ?? {}, preview.config);
  return (
    <>
      <FirstApply first={preview.firstApply} />
      <Effects sentences={preview.effects} />
      <AccessChanges
        title="Who loses access"
        icon="gate_closed"
        tone="danger-t"
        flips={denied}
        devices={known}
      />
      <AccessChanges
        title="Who gains access"
        icon="gate_open"
        tone="success-t"
        flips={allowed}
        devices={known}
      />
      {more > 0 && (
        <p class="s quiet part">
          And {count(more, "more connection")} not listed here.
        </p>
      )}
      <AdminAccess preview={preview} />
      <section class="part" aria-label="Technical details">
        <h3>
          Technical details
          <span class="n">
            {count(preview.config.length, "value")}, {count(preview.system.length, "kernel line")}
          </span>
        </h3>
        <Diff patch={preview.config} system={preview.system} />
      </section>
    </>
  );
}

/** With this change the router begins to work, and what is installed before. */
function FirstApply({ first }: { first: Preview["firstApply"] }): VNode | null {
  if (first === null) return null;
  return (
    <section class="part" aria-label="Starts the network">
      <h3>
        <span class="warning-t">
          <Icon name="router" small />
        </span>
        Starts the network
      </h3>
      <p class="s">
        Until now nothing was applied on this machine. With this change Sluice takes over its
        firewall, addresses and routes.
      </p>
      {first.items.length > 0 && <MissingPackages missing={first} open />}
    </section>
  );
}

/** What else follows from the change, beside access. */
function Effects({ sentences }: { sentences: readonly string[] }): VNode | null {
  if (sentences.length === 0) return null;
  return (
    <section class="part" aria-label="Also changes">
      <h3>
        Also changes
        <span class="n">{count(sentences.length, "effect")}</span>
      </h3>
      <ul class="gl">
        {sentences.slice(0, MAX_EFFECTS).map((sentence) => (
          <li key={sentence}>
            <Icon name="arrow" small />
            <Name>{sentence}</Name>
          </li>
        ))}
      </ul>
      {sentences.length > MAX_EFFECTS && (
        <p class="s quiet">And {count(sentences.length - MAX_EFFECTS, "more effect")}.</p>
      )}
    </section>
  );
}

function AccessChanges(
  { title, icon, tone, flips, devices }: {
    title: string;
    icon: "gate_closed" | "gate_open";
    tone: string;
    flips: readonly AccessChange[];
    devices: Devices;
  },
): VNode {
  const rows = accessRows(flips, devices);
  return (
    <section class="part" aria-label={title}>
      <h3>
        <span class={tone}>
          <Icon name={icon} small />
        </span>
        {title}
        <span class="n">{connectionCount(flips)}</span>
      </h3>
      {rows.length > 0 && (
        <ul class="gl">
          {rows.map((row, index) => (
            <li key={index}>
              <Icon name="arrow" small />
              <Name class="clamp">{row.who}</Name>
              <span class="r">{row.traffic}</span>
              <span class="reason">{row.reason}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function AdminAccess({ preview }: { preview: Preview }): VNode {
  const own = preview.reach.own;
  const stays = own === null || own.after.verdict === "accept" || own.before.verdict !== "accept";
  const text = own?.after.steps.at(-1)?.comment;
  return (
    <section class="part" aria-label="Your admin access">
      <h3>
        <span class={stays ? "" : "danger-t"}>
          <Icon name="key" small />
        </span>
        {own === null
          ? "Your admin access is unaffected"
          : stays
          ? "You keep admin access"
          : "You would lose admin access"}
      </h3>
      {text && <p class="s quiet">{text}</p>}
    </section>
  );
}
