import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Name } from "../../parts/show/name.tsx";
import { wordsOf } from "../../api/problem.ts";
import { loadNotices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";

/** Asks whether to lease addresses on an interface that another DHCP server serves. */
export function ServeDhcpDialog(
  { link, server, onClose }: { link: string; server: string; onClose: () => void },
): VNode {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  async function serve(): Promise<void> {
    busy.value = true;
    try {
      await put("/dhcp/serve", { interface: link });
      say({ subject: link, text: "is served from now on." });
      onClose();
      await loadNotices();
    } catch (error) {
      problem.value = wordsOf(error);
    }
    busy.value = false;
  }
  return (
    <Dialog
      kind="box"
      title={
        <>
          Lease addresses on <Name>{link}</Name>
        </>
      }
      onClose={onClose}
    >
      <div class="inner stack">
        {problem.value !== null && <Fault title="It is not served.">{problem.value}</Fault>}
        <p class="s">
          {server}{" "}
          leases addresses there too. A device takes the answer that comes first: one that takes the
          other’s gets an address that this router does not know, and no policy counts for it.
        </p>
        <p class="s">
          Better is to switch the other server off, or to plug its link into the uplink side. The
          message then goes away by itself.
        </p>
        <div class="row">
          <button
            class="btn primary"
            type="button"
            disabled={busy.value}
            onClick={() => void serve()}
          >
            Serve it all the same
          </button>
          <button class="btn" type="button" onClick={onClose}>Cancel</button>
        </div>
      </div>
    </Dialog>
  );
}
