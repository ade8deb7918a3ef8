import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../api/client.ts";
import { failureText } from "../api/problem.ts";
import { loadNetwork, packages } from "../state/store.ts";
import { say } from "../state/toast.ts";
import type { Network } from "../wire.ts";
import { Icon } from "../parts/show/icon.tsx";
import { TakeoverButton } from "./takeover.tsx";
import { t, tn } from "../text/language.ts";

const TITLES = {
  blocked: t("Not applied: another program owns Sluice’s nftables table."),
  broken: t("Failed to apply: the network is in an unknown state."),
  released: t("Not applied: an administrator removed Sluice’s rules."),
} as const;

/** Says why the kernel does not do what is shown, with the way to put it right. */
export function NetworkFault({ now }: { now: Network }): VNode | null {
  const { state, detail } = now;
  if (state === "applied") return <Drift network={now} />;
  if (state === "model" || packages.value?.installing) return <Installing />;
  return (
    <div
      class={state === "broken" ? "banner danger" : "banner"}
      role="region"
      aria-label={t("Network status")}
    >
      <Icon name="alert" />
      <p>
        <b>{TITLES[state]}</b> <span class="soft">{detail}</span>
      </p>
      {state === "blocked" && <TakeoverButton detail={detail} />}
      {state === "broken" && <RepairButton path="/network/repair" word={t("Apply again")} />}
      {state === "released" && <RepairButton path="/network/apply" word={t("Apply again")} />}
    </div>
  );
}

/** The network waits for what is being installed. */
function Installing(): VNode {
  const names = (packages.value?.items ?? []).filter(({ installed }) => installed === false)
    .map(({ name }) => name);
  return (
    <div class="banner" role="region" aria-label={t("Network status")}>
      <Icon name="system" />
      <p>
        <b>{t("Installing Debian packages.")}</b>{" "}
        <span class="soft">
          {t("The network starts afterwards. {names}", { names: names.join(", ") })}
        </span>
      </p>
    </div>
  );
}

/** What differs in the kernel from what was decided, and the way to put it right. */
function Drift({ network: { drift = [], more = 0 } }: { network: Network }): VNode | null {
  if (drift.length === 0) return null;
  return (
    <div class="banner" role="region" aria-label={t("Network status")}>
      <Icon name="alert" />
      <p>
        <b>{t("The live network differs from the configuration.")}</b>{" "}
        <span class="soft">
          {tn(
            "{count} difference, made outside Sluice.",
            "{count} differences, made outside Sluice.",
            drift.length + more,
          )}
        </span>
      </p>
      <RepairButton path="/network/repair" word={t("Repair")} />
      <details>
        <summary class="s">{t("Differences")}</summary>
        <div class="diff" tabIndex={0} role="region" aria-label={t("Differences")}>
          {drift.map((one, index) => <Difference key={index} one={one} />)}
        </div>
      </details>
    </div>
  );
}

function Difference({ one }: { one: NonNullable<Network["drift"]>[number] }): VNode {
  return (
    <>
      <div class="at">
        <span />
        <span>{one.what}</span>
      </div>
      {one.found !== null && (
        <del>
          <span>−</span>
          <span>{one.found}</span>
        </del>
      )}
      {one.expected !== null && (
        <ins>
          <span>+</span>
          <span>{one.expected}</span>
        </ins>
      )}
    </>
  );
}

function RepairButton({ path, word }: { path: string; word: string }): VNode {
  const busy = useSignal(false);
  async function mend(): Promise<void> {
    busy.value = true;
    try {
      await put(path);
      say({ text: t("The configuration is applied.") });
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not applied. {text}", { text })) });
    }
    busy.value = false;
    await loadNetwork();
  }
  return (
    <button class="btn small" type="button" disabled={busy.value} onClick={() => void mend()}>
      {word}
    </button>
  );
}
