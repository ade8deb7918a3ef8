import type { VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { limitUnknown } from "./unknown_devices.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import type { OpenLinks } from "./wire.ts";
import { momentWords } from "./words.ts";

/** Interfaces that admit unknown devices without limit; nothing where there is none. */
export function OpenLinksPanel({ open }: { open: Loaded<OpenLinks> }): VNode | null {
  const links = open.body?.Open ?? [];
  if (links.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="open-links">
      <header>
        <h2 id="open-links">Open to unknown devices</h2>
      </header>
      <ul class="rows">
        {links.map(({ Interface: Link, Until }) => (
          <li key={Link}>
            <div class="grow">
              <b>
                <Name>{Link}</Name>
              </b>
              <p>until {momentWords(Until * 1000, Date.now())}</p>
            </div>
            <button
              class="btn small"
              type="button"
              onClick={() => openPreview(limitUnknown(Link, open.reload))}
            >
              End now<span class="vh">on {Link}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
