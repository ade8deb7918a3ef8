import type { VNode } from "preact";
import { announcement, toast } from "../../state/toast.ts";
import { lazyPart } from "../load/lazy.tsx";

const Box = lazyPart(async () => (await import("./toast_box.tsx")).ToastBox, "shell");

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
