import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Copy } from "../../parts/show/copy.tsx";
import { say } from "../../state/toast.ts";
import { ago } from "../../text/time.ts";
import { leaveMesh } from "./actions.ts";
import { devicesText } from "./text.ts";
import type { LeafToken, MeshStatus } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Lets another router take this one as its leaf. */
export function JoinPanel(
  { status, onDone }: { status: MeshStatus; onDone: () => void },
): VNode {
  const made = useSignal<LeafToken | null>(null);
  const busy = useSignal(false);
  async function make(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    try {
      const { body } = await call<LeafToken>({ method: "PUT", path: "/plugins/mesh/leafToken" });
      made.value = body;
      onDone();
    } catch (error) {
      say({ text: failureText(error, (text) => t("No token was made. {text}", { text })) });
    } finally {
      busy.value = false;
    }
  }
  return (
    <section class="panel" aria-labelledby="mesh-join">
      <header>
        <h2 id="mesh-join">{t("Make this router a leaf")}</h2>
      </header>
      <div class="pad stack">
        <p class="s soft">
          {t(
            "Another router can take this one as its leaf. It then needs this router’s address and a token, and replaces the devices here by its own.",
          )}
        </p>
        {status.TLS ? <Fingerprint text={status.Fingerprint} /> : (
          <p class="warning-t">
            {rich(t("Turn HTTPS on first, under {link}."), {
              link: <a href="/admin/system">{t("System")}</a>,
            })}
          </p>
        )}
        {made.value !== null && (
          <div>
            <p>
              <b>{t("Token, shown this once")}</b>
            </p>
            <p class="row">
              <code class="mono mesh-print">{made.value.Token}</code>
              <Copy text={made.value.Token} what={t("token")} />
            </p>
          </div>
        )}
        <div class="row">
          <button
            class="btn"
            type="button"
            disabled={!status.TLS}
            aria-disabled={busy.value}
            onClick={() => void make()}
          >
            {status.HasLeafToken ? t("Make another token") : t("Make a token")}
          </button>
        </div>
      </div>
    </section>
  );
}

/** The parent of this leaf. */
export function LeafPanel(
  { status, onDone }: { status: MeshStatus; onDone: () => void },
): VNode {
  const { ParentIP, SyncedAt, SyncedDevices } = status;
  return (
    <section class="panel" aria-labelledby="mesh-parent">
      <header>
        <h2 id="mesh-parent">{t("This router is a leaf")}</h2>
        <button
          class="btn small"
          type="button"
          onClick={() => openPreview(leaveMesh(onDone))}
        >
          {t("Leave the mesh")}
        </button>
      </header>
      <div class="pad stack">
        <p>
          {ParentIP === ""
            ? t("Its parent has not been in touch yet.")
            : t("Its parent is {parentIP}, which decides about devices.", { parentIP: ParentIP })}
        </p>
        <p class="s quiet">
          {SyncedAt === 0
            ? t("No devices were received since this router started.")
            : t("{devices} received {ago}", {
              devices: devicesText(SyncedDevices),
              ago: ago(SyncedAt),
            })}
        </p>
        <Fingerprint text={status.Fingerprint} />
      </div>
    </section>
  );
}

function Fingerprint({ text }: { text: string }): VNode {
  return (
    <div>
      <p class="s">{t("Certificate fingerprint of this router")}</p>
      <p class="s mono mesh-print">{text}</p>
    </div>
  );
}
