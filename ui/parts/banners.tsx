import type { VNode } from "preact";
import { put } from "../api.ts";
import { wordsOf } from "../problem.ts";
import { loadNetwork, loadNotices, network, notices } from "../store.ts";
import { age } from "../time.ts";
import { say } from "../toast.ts";
import type { Notice } from "../wire.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

const TITLES = {
  model: "Nothing is applied.",
  blocked: "Nothing is applied: a table of ours belongs to someone else.",
  broken: "The kernel follows neither the old nor the new state.",
  released: "Nothing is applied: an administrator took it out.",
} as const;

const MODEL = "Sluice decides and stores on a model of the network; this machine is not touched.";

async function applyAgain(): Promise<void> {
  try {
    await put("/network/apply");
    say({ text: "What was decided is applied again." });
  } catch (error) {
    say({ text: `Not applied. ${wordsOf(error)}` });
  }
  await loadNetwork();
}

/** Says when the kernel does not do what is shown. */
export function NetworkBanner(): VNode | null {
  const state = network.value;
  if (state === null || state.state === "applied") return null;
  return (
    <div
      class={state.state === "broken" ? "banner shut" : "banner"}
      role="region"
      aria-label="State of the network"
    >
      <Icon name="alert" />
      <p>
        <b>{TITLES[state.state]}</b>{" "}
        <span class="soft">{state.detail ?? (state.state === "model" ? MODEL : "")}</span>
      </p>
      {state.state === "released" && (
        <button
          class="btn small"
          type="button"
          onClick={() => void applyAgain()}
        >
          Apply again
        </button>
      )}
    </div>
  );
}

async function resolve(notice: Notice): Promise<void> {
  try {
    await put(`/notices/${encodeURIComponent(notice.id)}/resolve`);
  } catch (error) {
    say({ text: `Still open. ${wordsOf(error)}` });
  }
  await loadNotices();
}

/** What waits for a person, each with the way to close it. */
export function Notices(): VNode | null {
  if (notices.value.length === 0) return null;
  return (
    <section aria-label="Notices">
      {notices.value.map((notice) => (
        <div key={notice.id} class="banner">
          <Icon name="alert" />
          <p>
            <Name>{notice.detail}</Name> <span class="quiet">{sinceWords(notice.at)}</span>
          </p>
          <button class="btn small" type="button" onClick={() => void resolve(notice)}>
            Resolve<span class="vh">: {notice.detail}</span>
          </button>
        </div>
      ))}
    </section>
  );
}

function sinceWords(at: number): string {
  const text = age(at, Date.now());
  return text === "now" ? "just now" : `${text} ago`;
}
