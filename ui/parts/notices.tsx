import type { VNode } from "preact";
import { put } from "../api.ts";
import { wordsOf } from "../problem.ts";
import { loadNotices, notices } from "../store.ts";
import { age } from "../time.ts";
import { say } from "../toast.ts";
import type { Notice } from "../wire.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

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
