import type { VNode } from "preact";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Right } from "./wire.ts";
import { t } from "../../text/language.ts";

/** What a plugin may do, one line each; what is dangerous in red. */
export function RightList(
  { rights, label }: { rights: readonly Right[]; label: string },
): VNode {
  return (
    <ul class="rights" aria-label={label}>
      {rights.map(({ text, isDangerous }) => (
        <li key={text} class={isDangerous ? "danger-t" : ""}>
          {isDangerous && (
            <>
              <Icon name="alert" small />
              <span class="vh">{t("Dangerous:")}</span>
            </>
          )} <Name>{text}</Name>
        </li>
      ))}
    </ul>
  );
}
