import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { components } from "../../generated/api.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { t } from "../../text/language.ts";
import { numberText } from "../../text/format.ts";

type Found = components["schemas"]["AsnFound"];

/** Milliseconds without a key after which the text is searched for. */
const TYPING_PAUSE = 300;

/** Finds a network by its name or number. */
export function NetworkSearch({ onPick }: { onPick: (network: Found) => void }): VNode {
  const text = useSignal("");
  const asked = useSignal("");
  useEffect(() => {
    const timer = setTimeout(() => asked.value = text.value.trim(), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [text.value]);
  const found = useLoaded<readonly Found[]>(
    asked.value.length < 2
      ? null
      : { path: `/plugins/lookup/asn_search/${encodeURIComponent(asked.value)}` },
    [asked.value],
  );
  return (
    <div class="pad">
      <input
        class="input"
        type="search"
        maxLength={64}
        aria-label={t("Search networks")}
        placeholder={t("Network by name or number, such as AS64496")}
        value={text.value}
        onInput={(event) => text.value = event.currentTarget.value}
      />
      {found.problem !== null && <p class="s danger-t">{found.problem.message}</p>}
      {found.body?.length === 0 && <p class="s quiet">{t("No network has this name.")}</p>}
      <ul class="setting-list">
        {(found.body ?? []).map((network) => (
          <li key={network.ASN}>
            <div>
              <b>
                <bdi>{network.Name || `AS${network.ASN}`}</bdi>
              </b>
              <p>
                {t("AS")}
                {t("{asn}, {rangeCount} ranges", {
                  asn: network.ASN,
                  rangeCount: numberText(network.RangeCount),
                })}
              </p>
            </div>
            <button class="btn small" type="button" onClick={() => onPick(network)}>
              {t("Block")}
              <span class="vh">{t("AS")}{network.ASN}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
