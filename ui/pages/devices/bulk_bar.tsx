import type { ComponentType, VNode } from "preact";
import { useState } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { openApproval } from "../../actions/approve.ts";
import { failureText } from "../../api/problem.ts";
import { say } from "../../state/toast.ts";
import { devices } from "../../state/store.ts";
import { isPendingApproval } from "../../text/format.ts";
import { loadOnPress } from "../../parts/load/lazy.tsx";
import type { Selection } from "../../parts/table/selection.ts";
import { t, tc, tn } from "../../text/language.ts";

type Acts = typeof import("./bulk_actions.ts");
type Kind = "groups" | "tags" | "policies";
type Form = ComponentType<{ kind: Kind; identities: readonly string[]; onClose: () => void }>;

/** Actions on the selected devices; each shows its preview first. */
export function BulkBar(
  { choice, onChoice }: { choice: Selection; onChoice: (choice: Selection) => void },
): VNode {
  const [kind, setKind] = useState<Kind | null>(null);
  const [Form, setForm] = useState<Form | null>(null);
  const identities = [...choice];
  const waiting = identities.filter((identity) => {
    const device = devices.value?.[identity];
    return device !== undefined && isPendingApproval(device);
  });
  const clear = () => onChoice(new Set());

  async function ask(next: Kind): Promise<void> {
    try {
      const { BulkDialog } = await loadOnPress(() => import("./bulk_dialog.tsx"));
      setForm(() => BulkDialog);
      setKind(next);
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not loaded. {text}", { text })) });
    }
  }

  async function act(make: (acts: Acts) => Parameters<typeof openPreview>[0]): Promise<void> {
    try {
      openPreview(make(await loadOnPress(() => import("./bulk_actions.ts"))));
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not loaded. {text}", { text })) });
    }
  }

  return (
    <div class="bulk" role="region" aria-label={t("Selected devices")}>
      <b role="status">
        {tn("{count} device selected", "{count} devices selected", identities.length)}
      </b>
      {waiting.length > 0 && (
        <button
          class="btn small primary"
          type="button"
          onClick={() => openApproval(waiting)}
        >
          {t("Approve")}
          {waiting.length < identities.length ? ` ${waiting.length}` : ""}…
        </button>
      )}
      <button class="btn small" type="button" onClick={() => void ask("groups")}>
        {t("Groups")}
      </button>
      <button class="btn small" type="button" onClick={() => void ask("policies")}>
        {t("Policies")}
      </button>
      <button class="btn small" type="button" onClick={() => void ask("tags")}>{t("Tags")}</button>
      <button
        class="btn small"
        type="button"
        onClick={() => void act(({ blockMany }) => blockMany(identities))}
      >
        {t("Block")}
      </button>
      <button
        class="btn small danger"
        type="button"
        onClick={() => void act(({ deleteMany }) => deleteMany(identities, clear))}
      >
        {t("Delete")}
      </button>
      <button class="btn small text end" type="button" onClick={clear}>
        {tc("selection", "Clear")}
      </button>
      {kind !== null && Form !== null && (
        <Form
          kind={kind}
          identities={identities}
          onClose={() => setKind(null)}
        />
      )}
    </div>
  );
}
