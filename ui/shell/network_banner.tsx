import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../api/client.ts";
import { textOf } from "../api/problem.ts";
import { loadNetwork, network, packages } from "../state/store.ts";
import { say } from "../state/toast.ts";
import type { Network } from "../wire.ts";
import { count } from "../text/format.ts";
import { Icon } from "../parts/show/icon.tsx";
import { TakeoverButton } from "./takeover.tsx";

const TITLES = {
  model: "Demo mode",
  blocked: "Not applied: another program owns Sluice’s nftables table.",
  broken: "Failed to apply: the network is in an unknown state.",
  released: "Not applied: an administrator removed Sluice’s rules.",
} as const;

const DEMO_DETAIL = "Changes are saved, nothing is applied on this machine.";

/** Says when the kernel does not do what is shown. */
export function NetworkBanner(): VNode | null {
  const state = network.value;
  if (state === null) return null;
  if (state.state === "applied") return <Drift network={state} />;
  if (packages.value?.installing) return <Installing />;
  return (
    <div
      class={state.state === "broken" ? "banner danger" : "banner"}
      role="region"
      aria-label="Network status"
    >
      <Icon name="alert" />
      <p>
        <b>{TITLES[state.state]}</b>{" "}
        <span class="soft">{state.detail ?? (state.state === "model" ? DEMO_DETAIL : "")}</span>
      </p>
      {state.state === "blocked" && <TakeoverButton detail={state.detail} />}
      {state.state === "broken" && <RepairButton path="/network/repair" word="Apply again" />}
      {state.state === "released" && <RepairButton path="/network/apply" word="Apply again" />}
    </div>
  );
}

/** The network waits for what is being installed. */
function Installing(): VNode {
  const names = (packages.value?.items ?? []).filter(({ installed }) => installed === false)
    .map(({ name }) => name);
  return (
    <div class="banner" role="region" aria-label="Network status">
      <Icon name="system" />
      <p>
        <b>Installing Debian packages.</b>{" "}
        <span class="soft">The network starts afterwards. {names.join(", ")}</span>
      </p>
    </div>
  );
}

/** What differs in the kernel from what was decided, and the way to put it right. */
function Drift({ network: { drift = [], more = 0 } }: { network: Network }): VNode | null {
  if (drift.length === 0) return null;
  return (
    <div class="banner" role="region" aria-label="Network status">
      <Icon name="alert" />
      <p>
        <b>The live network differs from the configuration.</b>{" "}
        <span class="soft">
          {count(drift.length + more, "difference")}, made outside Sluice.
        </span>
      </p>
      <RepairButton path="/network/repair" word="Repair" />
      <details>
        <summary class="s">Differences</summary>
        <div class="diff" tabIndex={0} role="region" aria-label="Differences">
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
      say({ text: "The configuration is applied." });
    } catch (error) {
      say({ text: `Not applied. ${textOf(error)}` });
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
