import type { VNode } from "preact";
import { openPreview } from "../../../actions/action.ts";
import { call } from "../../../api/client.ts";
import { Name } from "../../../parts/show/name.tsx";
import { ApiProblem, failureText } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { say } from "../../../state/toast.ts";
import type { Device } from "../../../wire.ts";
import { nameOf } from "../../../text/format.ts";
import { deleteDevice } from "../device/actions.ts";
import { isPending, type PendingPassword } from "./join_outcome.ts";
import { t } from "../../../text/language.ts";

const KINDS: Readonly<Record<string, string>> = { sae: "WPA3", wpa: "WPA2", wpa2: "WPA2" };

/** Pending passwords; there may be several. */
export function OthersWaiting(
  { except, onShow }: { except: string | null; onShow: (waiting: PendingPassword) => void },
): VNode | null {
  const others = Object.entries(devices.value ?? {})
    .filter(([identity]) => isPending(identity) && identity !== except);
  if (others.length === 0) return null;

  async function show(identity: string): Promise<void> {
    try {
      const { body } = await call<Device>({ path: "/device", query: { identity } });
      onShow({
        identity,
        name: body.Name,
        type: body.PSKEntry.Type,
        password: body.PSKEntry.Psk,
        before: new Set(Object.keys(devices.value ?? {})),
      });
    } catch (error) {
      const refused = error instanceof ApiProblem && error.status === 401;
      say({
        text: refused
          ? t("Showing it requires a code.")
          : failureText(error, (text) => t("The password could not be shown. {text}", { text })),
      });
    }
  }

  return (
    <section class="panel" aria-labelledby="waiting">
      <header>
        <h2 id="waiting">{t("Waiting to join")}</h2>
        <span class="note">{others.length}</span>
      </header>
      <ul class="rows">
        {others.map(([identity, device]) => (
          <li key={identity}>
            <div class="grow">
              <b>
                <Name>{nameOf(identity, device)}</Name>
              </b>
              <p>
                {t("Own password, {kinds}", { kinds: KINDS[device.PSKEntry.Type] ?? t("WPA3") })}
              </p>
            </div>
            <button class="btn small" type="button" onClick={() => void show(identity)}>
              {t("Show")}
              <span class="vh">
                {t("the password of {name}", { name: nameOf(identity, device) })}
              </span>
            </button>
            <button
              class="btn small danger"
              type="button"
              onClick={() => openPreview(deleteDevice(identity, () => {}))}
            >
              {t("Delete")}
              <span class="vh">{nameOf(identity, device)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
