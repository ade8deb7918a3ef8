import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { applyOrPreview } from "../../actions/apply.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { StateMark } from "../../parts/show/state_mark.tsx";
import { say } from "../../state/toast.ts";
import { sizeText } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { peerName, revokePeer, rotatePeer } from "./actions.ts";
import { NotYet } from "./not_yet.tsx";
import { Transfer } from "./transfer.tsx";
import { handshakeText } from "./text.ts";
import { t } from "../../text/language.ts";
import "../../styles/pages/vpn.css";
import type { KeyPair, Peer } from "./wire.ts";

interface Renewed {
  readonly name: string;
  readonly config: string;
  readonly problem: string;
}

/** The devices of the VPN. */
export function PeerList(
  { peers, onDone }: { peers: Loaded<readonly Peer[]>; onDone: () => void },
): VNode {
  const renewed = useSignal<Renewed | null>(null);
  const { body, problem } = peers;
  if (body === null) {
    return problem === null
      ? <Loading what={t("VPN devices")} rows={3} />
      : <Fault title={t("The VPN devices could not be loaded.")}>{problem.message}</Fault>;
  }
  if (body.length === 0) {
    return (
      <section class="panel empty" aria-label={t("No VPN devices")}>
        <Icon name="phone" />
        <h2>{t("Home from anywhere")}</h2>
        <p class="s soft">
          {t(
            "A phone or laptop that is added here reaches your network through an encrypted tunnel, with the access that you give it.",
          )}
        </p>
        <a class="btn primary" href="/admin/vpn/add">{t("Add a VPN device")}</a>
      </section>
    );
  }

  async function renew(peer: Peer): Promise<void> {
    try {
      const { body: keys } = await call<KeyPair>({ path: "/plugins/wireguard/genkey" });
      await applyOrPreview(
        rotatePeer(peer, keys, ({ Config, Problem }) => {
          renewed.value = { name: peerName(peer), config: Config, problem: Problem };
          onDone();
        }),
      );
    } catch (error) {
      say({ text: failureText(error, (text) => t("The key was not changed. {text}", { text })) });
    }
  }

  return (
    <section class="panel bleed" aria-labelledby="vpn-peers">
      <header>
        <h2 id="vpn-peers">{t("Devices")}</h2>
        <span class="note">
          {t("{filter} online", { filter: body.filter(({ Online }) => Online).length })}
        </span>
      </header>
      <table class="tbl links" role="table" aria-label={t("VPN devices")}>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">{t("Device")}</th>
            <th scope="col" role="columnheader">{t("Last handshake")}</th>
            <th scope="col" role="columnheader">{t("From")}</th>
            <th scope="col" role="columnheader" class="num">{t("Received / sent")}</th>
            <th scope="col" role="columnheader" class="c-acts">
              <span class="vh">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {body.map((peer) => (
            <tr key={peer.PublicKey} role="row">
              <td role="cell" class="c-name">
                <span class="state">
                  <StateMark state={peer.Online ? "online" : "offline"} />
                  {peer.Identity === ""
                    ? <span class="quiet">{peerName(peer)}</span>
                    : (
                      <a href={deviceHref(peer.Identity)}>
                        <Name>{peerName(peer)}</Name>
                      </a>
                    )}
                </span>
              </td>
              <td role="cell" class="soft">{handshakeText(peer)}</td>
              <td role="cell" class="soft">
                {peer.Endpoint === "(none)" ? "" : peer.Endpoint}
              </td>
              <td role="cell" class="num soft">
                {peer.LatestHandshake === 0
                  ? ""
                  : `${sizeText(peer.TransferRx)} / ${sizeText(peer.TransferTx)}`}
              </td>
              <td role="cell">
                <span class="row">
                  <button class="btn small" type="button" onClick={() => void renew(peer)}>
                    {t("New key")}
                    <span class="vh">{t("for {peerName}", { peerName: peerName(peer) })}</span>
                  </button>
                  <button
                    class="icon-btn small"
                    type="button"
                    aria-label={t("Revoke {peerName}", { peerName: peerName(peer) })}
                    title={t("Revoke")}
                    onClick={() => openPreview(revokePeer(peer, onDone))}
                  >
                    <Icon name="x" small />
                  </button>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {renewed.value !== null && (
        <Dialog
          kind="drawer"
          title={<Name>{renewed.value.name}</Name>}
          note={t("Its new configuration")}
          onClose={() => renewed.value = null}
        >
          <div class="body form">
            <NotYet problem={renewed.value.problem} />
            <Transfer config={renewed.value.config} name={renewed.value.name} kind="phone" />
            <Transfer config={renewed.value.config} name={renewed.value.name} kind="laptop" />
          </div>
        </Dialog>
      )}
    </section>
  );
}
