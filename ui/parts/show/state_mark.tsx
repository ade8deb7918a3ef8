import type { VNode } from "preact";
import type { State } from "../../text/format.ts";

const marks: Readonly<Record<State, readonly [string, string]>> = {
  online: ["dot", "Online"],
  offline: ["dot off", "Offline"],
  pending: ["dot warning", "Pending approval"],
  blocked: ["dot danger", "Blocked"],
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
