import type { VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { fixRule } from "./actions.ts";
import type { Finding } from "./wire.ts";
import { t } from "../../text/language.ts";

const WORDS: Readonly<Record<string, string>> = {
  duplicate: t("Duplicate"),
  shadowed: t("Never matches"),
  contradiction: t("Conflict"),
  dangling: t("No target"),
  useless: t("No effect"),
};

/** A possible problem of the rule in the row above, and its fix. */
export function FindingRow(
  { finding, columns, onDone }: { finding: Finding; columns: number; onDone: () => void },
): VNode {
  const { kind, severity, text, fix } = finding;
  return (
    <tr class="finding" role="row">
      <td role="cell" colSpan={columns}>
        <div>
          <span class={severity === "warning" ? "chip warning" : "chip"}>
            {severity === "warning" && <Icon name="alert" small />}
            {WORDS[kind] ?? t("Possible problems")}
          </span>
          <span class="soft any">
            <Name>{text}</Name>.
          </span>
          {fix !== null && (
            <button
              class="btn small"
              type="button"
              onClick={() => openPreview(fixRule(finding, fix, onDone))}
            >
              <Name>{`${fix.summary}…`}</Name>
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}
