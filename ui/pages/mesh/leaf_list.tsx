import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { say } from "../../state/toast.ts";
import { ago } from "../../text/time.ts";
import { removeLeaf, updateLeaf } from "./actions.ts";
import { clockText, devicesText, linkText, STATUS, versionText } from "./text.ts";
import type { LeafState } from "./wire.ts";
import { t } from "../../text/language.ts";

/** The leaf routers of a parent, with their clients. */
export function LeafList(
  { leaves, onDone }: { leaves: readonly LeafState[]; onDone: () => void },
): VNode {
  const busy = useSignal(false);
  async function syncAll(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    try {
      await call({ method: "PUT", path: "/hostapd/syncMesh" });
      say({ text: t("The devices are sent to every leaf router again.") });
      onDone();
    } catch (error) {
      say({ text: failureText(error, (text) => t("Nothing was sent. {text}", { text })) });
    } finally {
      busy.value = false;
    }
  }
  return (
    <section class="panel" aria-labelledby="mesh-leaves">
      <header>
        <h2 id="mesh-leaves">{t("Leaf routers")}</h2>
        {leaves.length > 0 && (
          <button
            class="btn small"
            type="button"
            aria-disabled={busy.value}
            onClick={() => void syncAll()}
          >
            {t("Send devices again")}
          </button>
        )}
      </header>
      {leaves.length === 0
        ? (
          <div class="empty">
            <Icon name="router" />
            <p class="s soft">
              {t(
                "A leaf router serves Wi-Fi in another part of the building. Its clients are on the network of this router, which goes on to decide who reaches what.",
              )}
            </p>
          </div>
        )
        : (
          <ul class="setting-list">
            {leaves.map((leaf) => <Leaf key={leaf.IP} leaf={leaf} onDone={onDone} />)}
          </ul>
        )}
    </section>
  );
}

function Leaf({ leaf, onDone }: { leaf: LeafState; onDone: () => void }): VNode {
  const { IP, Name: name, Status, Problem, Stations, Devices, ContactAt, Notices } = leaf;
  const { text, fine } = STATUS[Status];
  const title = name || IP;
  const facts = [
    name === "" ? "" : IP,
    Status === "synced" ? devicesText(Devices) : "",
    versionText(leaf),
    ContactAt === 0 ? "" : t("contact {ago}", { ago: ago(ContactAt) }),
  ].filter((fact) => fact !== "");
  return (
    <li>
      <div>
        <b class="mesh-name">
          <span class={fine ? "dot" : "dot warning"} aria-hidden="true" /> <Name>{title}</Name>
        </b>
        <p class={fine ? "quiet" : "warning-t"}>
          {text}
          {Problem !== "" && !fine && `: ${Problem}`}
        </p>
        <p class="quiet">{facts.join(" · ")}</p>
        <p class={isLinkDown(leaf) ? "warning-t" : "quiet"}>{linkText(leaf)}</p>
        {clockText(leaf) !== "" && <p class="warning-t">{clockText(leaf)}</p>}
        {Notices.map((notice) => <p key={notice} class="warning-t">{notice}</p>)}
        {Stations.length > 0 && (
          <ul class="mesh-list" aria-label={t("Wi-Fi clients of {title}", { title })}>
            {Stations.map(({ MAC, Name: station, SSID, RSSI }) => (
              <li key={MAC} class="s">
                <Name>{station || MAC}</Name>
                <span class="quiet">
                  {SSID !== "" && t(" on {ssid}", { ssid: SSID })}
                  {RSSI !== null && t(", {rssi} dBm", { rssi: RSSI })}
                </span>
              </li>
            ))}
          </ul>
        )}
        <p class="row">
          <a class="btn small" href={`/admin/machine/logs?${new URLSearchParams({ leaf: IP })}`}>
            {t("Logs")}
          </a>
          {leaf.Relation !== "same" && !leaf.Plain && leaf.Version !== "" && (
            <button
              class="btn small"
              type="button"
              onClick={() => openPreview(updateLeaf(IP, title, onDone))}
            >
              {t("Update")}
            </button>
          )}
        </p>
        <details>
          <summary class="s">{t("Certificate fingerprint")}</summary>
          <p class="s mono mesh-print">{leaf.Fingerprint}</p>
        </details>
      </div>
      <button
        class="icon-btn small"
        type="button"
        aria-label={t("Remove {title}", { title })}
        onClick={() => openPreview(removeLeaf(IP, title, onDone))}
      >
        <Icon name="x" small />
      </button>
    </li>
  );
}

function isLinkDown({ Link }: LeafState): boolean {
  return Link !== null && (Link.State === "away" || Link.Problem !== "");
}
