import type { VNode } from "preact";
import { Icon } from "../parts/show/icon.tsx";
import { MENU } from "./menu.ts";
import "../styles/parts/menu.css";

/** Pages that are not in the tab bar of a phone, by area. */
export function MoreLines({ onClose }: { onClose: () => void }): VNode {
  return (
    <>
      {MENU.map(({ name, heading, pages }) => (
        <div key={name} role="group" aria-label={heading ?? undefined}>
          {heading !== null && <span class="area">{heading}</span>}
          {pages.filter(({ tab }) =>
            tab === undefined
          ).map((
            { href, title, menu: word = title, icon },
          ) => (
            <a key={href} class="item" href={href} onClick={onClose}>
              <Icon name={icon} />
              {word}
            </a>
          ))}
        </div>
      ))}
    </>
  );
}
