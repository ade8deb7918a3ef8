import type { VNode } from "preact";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { Buttons, Fields, Waits } from "./basics.tsx";
import { Numbers, Texts, Views } from "./figures.tsx";
import { Forms } from "./forms.tsx";
import { Overlays } from "./overlays.tsx";
import { Tables } from "./tables.tsx";

/** Every part in every state, for people who build pages; not in the bundle that is shipped. */
export default function PartsPage({ title }: PageProps): VNode {
  return (
    <>
      <PageHead title={title} note="Every part in every state" />
      <div class="stack">
        <div class="cols half">
          <div class="stack">
            <Buttons />
            <Fields />
            <Forms />
            <Overlays />
            <Waits />
          </div>
          <div class="stack">
            <Numbers />
            <Views />
            <Texts />
          </div>
        </div>
        <Tables />
      </div>
    </>
  );
}
