import type { VNode } from "preact";
import { useTitle } from "../../parts/show/page_title.ts";
import { Buttons, Fields, Waits } from "./basics.tsx";
import { Numbers, Texts, Views } from "./figures.tsx";
import { Forms } from "./forms.tsx";
import { Overlays } from "./overlays.tsx";
import { Tables } from "./tables.tsx";

/** Every part in every state, for whoever builds pages; not in the bundle that is shipped. */
export default function PartsPage(): VNode {
  useTitle("Parts");
  return (
    <>
      <div class="head">
        <div>
          <h1>Parts</h1>
          <p>Every part in every state</p>
        </div>
      </div>
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
