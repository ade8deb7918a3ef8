import type { VNode } from "preact";
import type { State } from "../../text/format.ts";
import { t } from "../../text/language.ts";

const marks: Readonly<Record<State, readonly [string, string]>> = {
  online: ["dot", t("Online")],
  offline: ["dot off", t("Offline")],
  pending: ["dot warning", t("Pending approval")],
  blocked: ["dot danger", t("Blocked")],
};

/** The word of a state. */
export function stateText(state: State): string {
  return marks[state][1];
}

/** Shape and colour of a state, with its word for those who do not see it. */
export function StateMark({ state }: { state: State }): VNode {
  const [shape, word] = marks[state];
  return (
    <>
      <span class={shape} aria-hidden="true" />
      <span class="vh">{word}:</span>
    </>
  );
}
