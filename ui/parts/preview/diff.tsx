import type { VNode } from "preact";
import { devices } from "../../state/store.ts";
import type { PatchEntry } from "../../wire.ts";
import { withAdded } from "./access_changes.ts";
import { configLines, type DiffLine, systemLines } from "./diff_lines.ts";
import { t } from "../../text/language.ts";

function Line({ line }: { line: DiffLine }): VNode {
  const text = <span>{line.text}</span>;
  if (line.sign === "at") {
    return (
      <div class="at">
        <span />
        {text}
      </div>
    );
  }
  return line.sign === "add"
    ? (
      <ins>
        <span>+</span>
        {text}
      </ins>
    )
    : (
      <del>
        <span>−</span>
        {text}
      </del>
    );
}

/** Technical details: changes of the configuration, then of the kernel. */
export function Diff(
  { patch, system }: { patch: readonly PatchEntry[]; system: readonly string[] },
): VNode {
  const lines = [
    ...configLines(patch, withAdded(devices.value ?? {}, patch)),
    ...systemLines(system),
  ];
  if (lines.length === 0) return <p class="s quiet">{t("No differences.")}</p>;
  return (
    <div class="diff" tabIndex={0} role="region" aria-label={t("Difference")}>
      {lines.map((line, index) => <Line key={index} line={line} />)}
    </div>
  );
}
