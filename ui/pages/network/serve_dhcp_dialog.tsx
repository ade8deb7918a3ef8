import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { WriteFault } from "../../parts/form/write_fault.tsx";
import { Name } from "../../parts/show/name.tsx";
import { loadNotices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Asks whether to lease addresses on an interface that another DHCP server serves. */
export function ServeDhcpDialog(
  { link, server, onClose }: { link: string; server: string; onClose: () => void },
): VNode {
  const problem = useSignal<unknown>(null);
  const busy = useSignal(false);
  async function serve(): Promise<void> {
    busy.value = true;
    try {
      await put("/dhcp/serve", { interface: link });
      say({ subject: link, text: t("now serves DHCP.") });
      onClose();
      await loadNotices();
    } catch (error) {
      problem.value = error;
    }
    busy.value = false;
  }
  return (
    <Dialog
      kind="box"
      title={
        <>
          {rich(t("Enable DHCP on {link}"), { link: <Name>{link}</Name> })}
        </>
      }
      onClose={onClose}
    >
      <div class="inner stack">
        {problem.value !== null && (
          <WriteFault failed={t("DHCP was not enabled.")} error={problem.value} />
        )}
        <p class="s">
          {t(
            "{server} also serves DHCP there. A device takes the first offer: with the other server’s it gets an IP address that this router does not know, and no policy applies to it.",
            { server },
          )}
        </p>
        <p class="s">
          {t(
            "It is better to disable the other server or to move its cable to the WAN side. This message then goes away.",
          )}
        </p>
        <div class="row">
          <button
            class="btn primary"
            type="button"
            disabled={busy.value}
            onClick={() => void serve()}
          >
            {t("Enable DHCP anyway")}
          </button>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </div>
    </Dialog>
  );
}
