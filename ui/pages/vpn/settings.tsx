import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { applyOrPreview } from "../../actions/apply.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Copy } from "../../parts/show/copy.tsx";
import { importServer, saveServer, switchVpn } from "./actions.ts";
import { ConfigField } from "./config_field.tsx";
import { DyndnsForm } from "./dyndns_form.tsx";
import { listOf, runningText } from "./text.ts";
import type { Server } from "./wire.ts";
import { t } from "../../text/language.ts";

/** The settings of the VPN. */
export function ServerSettings(
  { server, onDone }: { server: Loaded<Server>; onDone: () => void },
): VNode {
  const { body, problem, etag } = server;
  if (body === null) {
    return problem === null
      ? <Loading what={t("VPN settings")} rows={3} />
      : <Fault title={t("The settings could not be loaded.")}>{problem.message}</Fault>;
  }
  return (
    <div class="cols half">
      <div class="stack">
        <section class="panel" aria-labelledby="vpn-tunnel">
          <header>
            <h2 id="vpn-tunnel">{t("Tunnel")}</h2>
          </header>
          <ul class="setting-list">
            <li>
              <div>
                <b>{t("VPN")}</b>
                <p>{runningText(body)}</p>
              </div>
              <Switch
                label={t("VPN")}
                on={body.Enabled}
                onFlip={() => openPreview(switchVpn(!body.Enabled, onDone))}
              />
            </li>
            {body.PublicKey !== "" && (
              <li>
                <div>
                  <b>{t("Public key of this router")}</b>
                  <p class="mono wrap">{body.PublicKey}</p>
                </div>
                <Copy text={body.PublicKey} what={t("the public key")} />
              </li>
            )}
          </ul>
        </section>
        <TunnelForm now={body} etag={etag} onDone={onDone} />
        <TakeOver onDone={onDone} />
      </div>
      <DyndnsForm />
    </div>
  );
}

function TunnelForm(
  { now, etag, onDone }: { now: Server; etag: string | null; onDone: () => void },
): VNode {
  const port = useSignal(String(now.ListenPort));
  const mtu = useSignal(now.MTU === 0 ? "" : String(now.MTU));
  const endpoints = useSignal(now.Endpoints.join(", "));
  useEffect(() => {
    port.value = String(now.ListenPort);
    mtu.value = now.MTU === 0 ? "" : String(now.MTU);
    endpoints.value = now.Endpoints.join(", ");
  }, [etag]);
  const write = useForm({
    check: () => [
      ...(/^\d{1,5}$/.test(port.value.trim())
        ? []
        : [{ pointer: "/ListenPort", message: t("Enter a port from 1 to 65535") }]),
      ...(/^\d{0,4}$/.test(mtu.value.trim())
        ? []
        : [{ pointer: "/MTU", message: t("Enter a number of bytes, or leave it empty") }]),
    ],
    send: ({ overwrite }) =>
      applyOrPreview(saveServer(
        {
          ListenPort: Number(port.value),
          MTU: Number(mtu.value || 0),
          Endpoints: listOf(endpoints.value),
        },
        overwrite ? null : etag,
        onDone,
      )),
  });
  return (
    <section class="panel" aria-labelledby="vpn-settings">
      <header>
        <h2 id="vpn-settings">{t("Settings")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("The settings were not saved.")}>
        <Field
          label={t("Name or address of this router")}
          help={t(
            "What clients call, for example vpn.example.org. Empty: its dynamic name, or WAN address",
          )}
          autocomplete="off"
          {...write.text("Endpoints", endpoints)}
        />
        <Field
          label={t("UDP port")}
          inputMode="numeric"
          autocomplete="off"
          {...write.text("ListenPort", port)}
        />
        <Field
          label={t("MTU")}
          help={t("Empty: it fits the uplinks, now {currentMTU}", { currentMTU: now.CurrentMTU })}
          inputMode="numeric"
          autocomplete="off"
          {...write.text("MTU", mtu)}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Save settings")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

/** Takes over the file of another WireGuard server. */
function TakeOver({ onDone }: { onDone: () => void }): VNode {
  const text = useSignal("");
  const left = useSignal<readonly string[]>([]);
  const write = useForm({
    check: () =>
      text.value.trim() === ""
        ? [{ pointer: "/Config", message: t("Choose the file, or paste it") }]
        : [],
    send: () =>
      applyOrPreview(importServer(text.value, ({ Ignored }) => {
        text.value = "";
        left.value = Ignored;
        onDone();
      })),
  });
  return (
    <section class="panel" aria-labelledby="vpn-import">
      <header>
        <h2 id="vpn-import">{t("Replace another WireGuard server")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("Nothing was taken over.")}>
        <ConfigField
          label={t("Its configuration file")}
          problem={write.at("Config")}
          value={text.value}
          onValue={(value) => {
            text.value = value;
            write.edited("Config");
          }}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Take over")}</SubmitButton>
        </div>
        {left.value.length > 0 && (
          <Fault warning title={t("Imported, except for settings that this VPN does not have:")}>
            {left.value.join(", ")}
          </Fault>
        )}
      </Form>
    </section>
  );
}
