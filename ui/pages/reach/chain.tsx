import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { ReachRule } from "./wire.ts";
import { nftText, outcomeText } from "./text.ts";
import { t } from "../../text/language.ts";

/** The rules that a connection meets, in the order in which the kernel evaluates them. */
export function Chain({ rules }: { rules: readonly ReachRule[] }): VNode {
  const technical = useSignal(false);
  return (
    <section class="panel" aria-labelledby="chain">
      <header>
        <h2 id="chain">{t("Matched rules, in order")}</h2>
        <CheckField
          label={t("Show nftables rules")}
          value={technical.value}
          onValue={(on) => technical.value = on}
        />
      </header>
      <ol class="chain">
        {rules.map((rule, index) => {
          const tone = !rule.decides ? "" : rule.outcome === "accept" ? "success-t" : "danger-t";
          return (
            <li key={index} class={rule.decides ? "decides" : ""}>
              <span class={`mark ${tone}`} aria-hidden="true">
                {rule.decides
                  ? <Icon name={rule.outcome === "accept" ? "gate_open" : "gate_closed"} />
                  : <i />}
              </span>
              <b>
                <Name>{rule.description}</Name>
              </b>
              <span class={`out ${tone || "quiet"}`}>{outcomeText(rule)}</span>
              {technical.value && <span class="nft">{nftText(rule)}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
