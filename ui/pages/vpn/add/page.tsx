import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/apply.ts";
import { call } from "../../../api/client.ts";
import { Seg } from "../../../parts/form/choice_field.tsx";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { DEFAULT_DEVICE, type NewDevice } from "../../devices/add/actions.ts";
import { NewDeviceFields } from "../../devices/add/choices.tsx";
import { deviceHref } from "../../devices/last_seen.ts";
import { addPeer, type Scope } from "../actions.ts";
import { NotYet } from "../not_yet.tsx";
import { Transfer } from "../transfer.tsx";
import type { KeyPair, Peer } from "../wire.ts";
import { t } from "../../../text/language.ts";

/** Milliseconds between two looks whether the device has connected. */
const LOOK_INTERVAL_MS = 2000;
const KINDS = [["phone", t("Phone or tablet")], ["laptop", t("Computer")]] as const;
const SCOPES = [["full", t("All its traffic")], ["split", t("Only for this network")]] as const;

/** A device that was added and has yet to connect. */
interface Added {
  readonly key: string;
  readonly name: string;
  readonly config: string;
  readonly problem: string;
}

/** Adds a VPN device in three steps: what it is, its configuration, its first connection. */
export default function AddVpnDevicePage({ title }: PageProps): VNode {
  const kind = useSignal<string>("phone");
  const scope = useSignal<string>("full");
  const device = useSignal<NewDevice>(DEFAULT_DEVICE);
  const added = useSignal<Added | null>(null);
  const write = useForm({
    check: () =>
      device.value.name.trim() === "" ? [{ pointer: "/Name", message: t("Enter a name") }] : [],
    async send() {
      // Made before, so that the preview is about the very device that is added.
      const { body: keys } = await call<KeyPair>({ path: "/plugins/wireguard/genkey" });
      const name = device.value.name.trim();
      await applyOrPreview(
        addPeer(device.value, keys, scope.value as Scope, ({ Config, Problem }) => {
          added.value = { key: keys.PublicKey, name, config: Config, problem: Problem };
          device.value = { ...device.value, name: "" };
        }),
      );
    },
  });
  const now = added.value;
  return (
    <>
      <PageHead title={title} parent={{ href: "/admin/vpn", title: "VPN", here: t("Add") }} />
      <div class="cols half">
        <Form write={write} failed={t("The device was not added.")}>
          <h2>{t("1. Name and access")}</h2>
          <Seg
            label={t("Kind of device")}
            value={kind.value}
            options={KINDS}
            onValue={(value) => kind.value = value}
          />
          <NewDeviceFields
            value={device.value}
            onValue={(value) => device.value = value}
            write={write}
          />
          <div class="field">
            <span class="label">{t("Uses the tunnel for")}</span>
            <Seg
              label={t("Uses the tunnel for")}
              value={scope.value}
              options={SCOPES}
              onValue={(value) => scope.value = value}
            />
          </div>
          <div class="row">
            <SubmitButton write={write}>{t("Add device")}</SubmitButton>
            <a class="btn" href="/admin/vpn">{t("Cancel")}</a>
          </div>
        </Form>
        <div class="stack">
          {now === null
            ? <Before kind={kind.value} />
            : (
              <section class="panel" aria-labelledby="vpn-transfer">
                <header>
                  <h2 id="vpn-transfer">
                    2. {kind.value === "phone" ? t("Scan with") : t("File for")}{" "}
                    <Name>{now.name}</Name>
                  </h2>
                </header>
                <div class="pad form">
                  <NotYet problem={now.problem} />
                  <Transfer
                    key={now.key}
                    config={now.config}
                    name={now.name}
                    kind={kind.value === "phone" ? "phone" : "laptop"}
                  />
                  <p class="s">
                    <a href="/admin/vpn">{t("It does not connect?")}</a>
                  </p>
                </div>
                <Connection key={now.key} peer={now.key} />
              </section>
            )}
        </div>
      </div>
    </>
  );
}

function Before({ kind }: { kind: string }): VNode {
  return (
    <section class="panel empty" aria-label={t("Configuration")}>
      <Icon name={kind === "phone" ? "phone" : "desktop"} />
      <h2>2. {kind === "phone" ? t("Scan") : t("Import")}</h2>
      <p class="s soft">
        {kind === "phone"
          ? t("A QR code for the WireGuard app appears here.")
          : t("A file for the WireGuard app appears here.")}
      </p>
    </section>
  );
}

/** The third step: says when the device has connected. */
function Connection({ peer }: { peer: string }): VNode {
  const { body } = useLoaded<readonly Peer[]>({ path: "/plugins/wireguard/peers" }, [
    usePulse(LOOK_INTERVAL_MS),
  ]);
  const known = body?.find(({ PublicKey }) => PublicKey === peer);
  return (
    <footer>
      <span class="state" role="status">
        {known?.Online
          ? (
            <>
              <span class="dot" aria-hidden="true" />
              <b>{t("3. Connected.")}</b>{" "}
              <a href={deviceHref(known.Identity)}>{t("View device")}</a>
            </>
          )
          : (
            <>
              <span class="dot warning" aria-hidden="true" />
              <b>{t("3. Waiting for its first connection.")}</b>
            </>
          )}
      </span>
    </footer>
  );
}
