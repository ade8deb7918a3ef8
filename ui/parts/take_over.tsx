import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../api.ts";
import { wordsOf } from "../problem.ts";
import { user } from "../session.ts";
import { loadNetwork } from "../store.ts";
import { say } from "../toast.ts";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";

/** Takes tables of our names over from whoever made them, with the password once more. */
export function TakeOver({ detail }: { detail: string | null }): VNode {
  const open = useSignal(false);
  return (
    <>
      <button class="btn small" type="button" onClick={() => open.value = true}>
        Take it over
      </button>
      {open.value && <TakeOverDialog detail={detail} onClose={() => open.value = false} />}
    </>
  );
}

function TakeOverDialog(
  { detail, onClose }: { detail: string | null; onClose: () => void },
): VNode {
  const password = useSignal("");
  const problem = useSignal<string | null>(null);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await call({
        method: "PUT",
        path: "/network/takeover",
        query: { force: "true" },
        basic: `${user.value}:${password.value}`,
        quiet: true,
      });
      say({ text: "The table is ours now, and the network is applied." });
      onClose();
    } catch (error) {
      problem.value = wordsOf(error);
    }
    await loadNetwork();
  }
  return (
    <Dialog kind="box" title="Take the table over" focusTitle={false} onClose={onClose}>
      <form class="inner form" onSubmit={(event) => void submit(event)}>
        <p class="s any">{detail}</p>
        <p class="s">What is in it now is lost, and whoever made it finds ours in its place.</p>
        <Field
          label="Your password"
          secret
          autocomplete="current-password"
          required
          problem={problem.value}
          value={password.value}
          onValue={(value) => password.value = value}
        />
        <div class="row">
          <button class="btn danger solid" type="submit">Take it over</button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </form>
    </Dialog>
  );
}
