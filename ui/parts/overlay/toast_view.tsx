import type { VNode } from "preact";
import { announcement, toast } from "../../state/toast.ts";
import { lazyPart, lookForUpdate } from "../load/lazy.tsx";

// A toast about itself would take the place of the one that it is to show.
const Box = lazyPart(
  async () => (await import("./toast_box.tsx")).ToastBox,
  "shell",
  lookForUpdate,
  ({ current }) => <div class="toast">{current.text}</div>,
);

/** The toast and the one polite live region of the page, which are there before anything is said. */
export function ToastView(): VNode {
  const current = toast.value;
  return (
    <>
      <div class="vh" role="status">{announcement.value}</div>
      <div role="status">{current !== null && <Box current={current} />}</div>
    </>
  );
}
