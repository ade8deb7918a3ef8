import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Name } from "../../parts/show/name.tsx";
import { wordsOf } from "../../api/problem.ts";
import { loadNotices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import type { Notice } from "../../wire.ts";

/** Kind of the notices about another DHCP server at home. */
export const FOREIGN_SERVER = "dhcp-foreign-server";

/** The link and the server that such a notice is about; null for any other notice. */
export function foreignServer(
  { kind, data }: Notice,
): { readonly link: string; readonly server: string } | null {
  const link = data?.["link"], server = data?.["server"];
  if (kind !== FOREIGN_SERVER || typeof link !== "string") return null;
  return { link, server: typeof server === "string" ? server : "another" };
}

/** Asks whether to lease addresses on a link beside the other server there. */
export function ServeDhcp({ link, server }: { link: string; server: string }): VNode {
  const asked = useSignal(false);
  return (
    <>
      <button class="btn" type="button" onClick={() => asked.value = true}>
        Serve it all the same<span class="vh">: {link}</span>
      </button>
      {asked.value && <Ask link={link} server={server} onClose={() => asked.value = false} />}
    </>
  );
}

function Ask(
  { link, server, onClose }: { link: string; server: string; onClose: () => void },
): VNode {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  async function serve(): Promise<void> {
    busy.value = true;
    try {
      await put("/dhcp/serve", { link });
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
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </div>
    </Dialog>
  );
}
