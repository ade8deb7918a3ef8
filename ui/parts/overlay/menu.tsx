import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon, type IconName } from "../show/icon.tsx";
import { byLetter, keyTarget } from "../form/keys.ts";
import "../../styles/parts/menu.css";

/** One line of a menu: an act, or a place to go to. */
export interface MenuItem {
  readonly text: string;
  readonly icon?: IconName;
  readonly href?: string;
  readonly onChoose?: () => void;
  /** Takes something away. */
  readonly danger?: boolean;
  /** Begins another group of lines. */
  readonly apart?: boolean;
}

/** Pixels between the button and its menu, and between the menu and the edge of the window. */
const GAP_PX = 4;

/**
 * A button with acts below it: ↓ or Enter opens, arrows walk, a letter goes to the next line that
 * begins with it, Esc closes and gives the focus back.
 */
export function Menu(
  { label, class: extra = "btn", items, children }: {
    /** How the button and its menu are called. */
    label: string;
    class?: string;
    items: readonly MenuItem[];
    children: ComponentChildren;
  },
): VNode {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    const element = menu.current;
    const toggled = (event: Event): void => {
      const open = (event as ToggleEvent).newState === "open";
      button.current?.setAttribute("aria-expanded", String(open));
    };
    element?.addEventListener("beforetoggle", toggled);
    return () => element?.removeEventListener("beforetoggle", toggled);
  }, []);

  function show(): void {
    menu.current?.showPopover();
    position(menu.current, button.current);
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }

  function close(): void {
    menu.current?.hidePopover();
    button.current?.focus();
  }

  function key(event: KeyboardEvent): void {
    const lines = [...menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []];
    const at = lines.indexOf(document.activeElement as HTMLElement);
    const to = keyTarget(event.key, at, lines.length) ?? byLetter(event.key, items, at);
    if (event.key === "Tab") menu.current?.hidePopover();
    if (to === null) return;
    event.preventDefault();
    lines[to]?.focus();
  }

  return (
    <>
      <button
        ref={button}
        class={extra}
        type="button"
        aria-haspopup="menu"
        aria-expanded="false"
        aria-controls={id}
        aria-label={label}
        onClick={() => menu.current?.matches(":popover-open") ? close() : show()}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          show();
        }}
      >
        {children}
      </button>
      <div
        id={id}
        ref={menu}
        class="menu acts"
        popover="auto"
        role="menu"
        aria-label={label}
        onKeyDown={key}
      >
        {items.map((item) => (
          <MenuLine
            key={item.text}
            item={item}
            onChoose={() => {
              close();
              item.onChoose?.();
            }}
          />
        ))}
      </div>
    </>
  );
}

function MenuLine({ item, onChoose }: { item: MenuItem; onChoose: () => void }): VNode {
  const classes = ["item", item.danger && "danger", item.apart && "apart"].filter(Boolean).join(
    " ",
  );
  const inside = (
    <>
      {item.icon && <Icon name={item.icon} />}
      {item.text}
    </>
  );
  return item.href === undefined
    ? (
      <button class={classes} type="button" role="menuitem" tabIndex={-1} onClick={onChoose}>
        {inside}
      </button>
    )
    : (
      <a class={classes} role="menuitem" tabIndex={-1} href={item.href} onClick={onChoose}>
        {inside}
      </a>
    );
}

/** Puts the menu below its button, or above it where there is no room, inside of the window. */
function position(menu: HTMLElement | null, button: HTMLElement | null): void {
  if (menu === null || button === null) return;
  const from = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = from.bottom + GAP_PX + height <= innerHeight || from.top < height;
  menu.style.top = `${below ? from.bottom + GAP_PX : from.top - GAP_PX - height}px`;
  menu.style.left = `${
    Math.max(GAP_PX, Math.min(from.right - width, innerWidth - width - GAP_PX))
  }px`;
}
