import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { t } from "../../text/language.ts";

/** What the router gives every page. */
export interface PageProps {
  /** Title of its record. */
  readonly title: string;
}

/** Names the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = t("{title} · Sluice", { title });
  }, [title]);
}

/** The top of a page, which names the browser tab as well. */
export function PageHead(
  { title, heading = title, note, parent, children }: PageProps & {
    /** Stands in the page in the place of the title. */
    heading?: string;
    /** The line below. */
    note?: ComponentChildren;
    /** The page that this one belongs to, and its own short name. */
    parent?: { readonly href: string; readonly title: string; readonly here: string };
    /** What can be done on the page. */
    children?: ComponentChildren;
  },
): VNode {
  useTitle(title);
  return (
    <div class="head">
      <div>
        {parent && (
          <nav class="crumb" aria-label={t("Path")}>
            <a href={parent.href}>{parent.title}</a>
            <Icon name="right" small />
            <span class="trunc">{parent.here}</span>
          </nav>
        )}
        <h1>{heading}</h1>
        {note !== undefined && <p>{note}</p>}
      </div>
      {children}
    </div>
  );
}
