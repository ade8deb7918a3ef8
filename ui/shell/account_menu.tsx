import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lazyPart } from "../parts/load/lazy.tsx";
import { role, user } from "../state/session.ts";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { t } from "../text/language.ts";

const AccountLines = lazyPart(async () => (await import("./account_lines.tsx")).AccountLines);

/** The button of the account menu; its lines come when they are first shown or soon after the page. */
export function AccountMenu(): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const element = menu.current;
    const sync = (event: Event): void => {
      const open = (event as ToggleEvent).newState === "open";
      if (open) setOpened(true);
      button.current?.setAttribute("aria-expanded", String(open));
    };
    element?.addEventListener("beforetoggle", sync);
    return () => element?.removeEventListener("beforetoggle", sync);
  }, []);
  return (
    <>
      <button
        ref={button}
        class="account"
        type="button"
        aria-expanded="false"
        aria-controls="account-menu"
        onClick={() =>
          menu.current?.togglePopover({ source: button.current ?? undefined } as never)}
      >
        <Icon name="people" />
        <span class="vh">{t("Account:")}</span>
        <span class="t trunc">
          <Name>{user.value}</Name>
          {role.value === "read-only" && t(", read-only")}
        </span>
      </button>
      <div id="account-menu" class="menu" popover="auto" ref={menu}>
        {opened && <AccountLines onClose={() => menu.current?.hidePopover()} />}
      </div>
    </>
  );
}
