import { put } from "../api/client.ts";
import { textOf } from "../api/problem.ts";
import { loadNotices } from "../state/store.ts";
import { say } from "../state/toast.ts";
import type { Notice } from "../wire.ts";

/** Resolves a notice. */
export async function resolveNotice(notice: Notice): Promise<void> {
  try {
    await put(`/notices/${encodeURIComponent(notice.id)}/resolve`);
  } catch (error) {
    say({ text: `Not dismissed. ${textOf(error)}` });
  }
  await loadNotices();
}
