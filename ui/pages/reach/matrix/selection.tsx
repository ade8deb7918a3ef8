import type { VNode } from "preact";
import { Name, Names } from "../../../parts/show/name.tsx";
import type { ReachMatrix } from "./wire.ts";
import { cellOf, reachHref } from "./text.ts";

/** The access between two classes, their members, and a link to the access test. */
export function Chosen(
  { matrix, from, to, label, name }: {
    matrix: ReachMatrix;
    from: number;
    to: number;
    label: (party: number) => string;
    name: (identity: string) => string;
  },
): VNode {
  const { word, tone, reason } = cellOf(matrix, from, to);
  const href = reachHref(matrix, from, to);
  return (
    <section class="panel matrix-chosen" aria-label="Selected pair">
      <header>
        <h2>
          <Name>{label(from)}</Name> to <Name>{label(to)}</Name>
        </h2>
        <b class={`${tone} s`}>{word}</b>
      </header>
      <div class="pad stack">
        <p class="s soft">
          {reason === "" ? "No other device has identical access." : <Name>{reason}</Name>}
        </p>
        {[...new Set([from, to])].map((party) => {
          const members = matrix.classes[party]?.members ?? [];
          return members.length < 2 ? null : (
            <details key={party}>
              <summary>{members.length} devices with identical access</summary>
              <p class="s">
                <Names>{members.map(name)}</Names>
              </p>
            </details>
          );
        })}
        {href !== null && (
          <div class="row">
            <a class="btn" href={href}>Open in access test</a>
          </div>
        )}
      </div>
    </section>
  );
}
