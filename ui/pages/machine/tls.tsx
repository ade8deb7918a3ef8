import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { WriteFault } from "../../parts/form/write_fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { day } from "../../text/time.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

interface Tls {
  readonly on: boolean;
  readonly certificate: {
    readonly to: number;
    readonly dns: readonly string[];
    readonly ip: readonly string[];
    readonly own: boolean;
  } | null;
  readonly authority: { readonly to: number; readonly fingerprint: string } | null;
}

/** HTTPS of the UI, its certificate, and how to trust it. */
export function TlsPanel(): VNode {
  const loaded = useLoaded<Tls>({ path: "/certificate" }, []);
  const problem = useSignal<unknown>(null);
  const busy = useSignal(false);
  const gone = useSignal(false);
  const asking = useSignal(false);
  const now = loaded.body;
  /** Over TLS itself, turning it off ends this very page. */
  const here = location.protocol === "https:";

  async function flip(): Promise<void> {
    if (busy.value || now === null) return;
    problem.value = null;
    busy.value = true;
    try {
      const query = now.on && here ? { force: "true" } : {};
      await call({ method: now.on ? "DELETE" : "PUT", path: "/firewall/enableTLS", query });
      gone.value = now.on && here;
      loaded.reload();
    } catch (error) {
      problem.value = error;
    } finally {
      busy.value = false;
    }
  }

  return (
    <section class="panel" aria-labelledby="tls" aria-busy={busy.value}>
      <header>
        <h2 id="tls">{t("HTTPS")}</h2>
      </header>
      {problem.value !== null && (
        <WriteFault failed={t("The setting was not saved.")} error={problem.value} />
      )}
      {gone.value && (
        <Fault warning title={t("HTTPS is off.")}>
          {rich(t("This page no longer opens here. {link}."), {
            link: <a href={plainHref()}>{t("Open it over HTTP")}</a>,
          })}
        </Fault>
      )}
      {loaded.problem !== null && (
        <Fault title={t("HTTPS status unavailable.")}>{loaded.problem.message}</Fault>
      )}
      {now === null ? loaded.problem === null && <Loading what={t("TLS")} rows={2} /> : (
        <>
          <ul class="setting-list">
            <li>
              <div>
                <b>{t("Enable HTTPS")}</b>
                <p>
                  {here && now.on
                    ? t("You are connected over HTTPS: turning it off closes this page")
                    : t("Encrypts the connection to the web UI")}
                </p>
              </div>
              <Switch
                label={t("TLS")}
                on={now.on}
                onFlip={() => now.on && here ? void (asking.value = true) : void flip()}
              />
            </li>
          </ul>
          {asking.value && (
            <EndsThisPage
              onClose={() => asking.value = false}
              onYes={() => {
                asking.value = false;
                void flip();
              }}
            />
          )}
          {now.certificate !== null && <Certificate certificate={now.certificate} />}
          {now.authority !== null && <Authority authority={now.authority} />}
        </>
      )}
    </section>
  );
}

/** Asks before TLS is turned off over TLS itself. */
function EndsThisPage({ onYes, onClose }: { onYes: () => void; onClose: () => void }): VNode {
  return (
    <Dialog kind="box" title={t("Turn off HTTPS")} onClose={onClose}>
      <div class="inner form">
        <p>
          {t(
            "You are connected over HTTPS. This page closes, and the web UI is then only available over HTTP: anyone on the path can read the traffic, including passwords.",
          )}
        </p>
        <div class="row">
          <button class="btn danger grow" type="button" onClick={onYes}>{t("Turn off")}</button>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </div>
    </Dialog>
  );
}

function Certificate({ certificate }: { certificate: NonNullable<Tls["certificate"]> }): VNode {
  const { dns, ip, to, own } = certificate;
  return (
    <dl class="kv pad">
      <dt>{t("Names")}</dt>
      <dd>{[...dns, ...ip].join(", ")}</dd>
      <dt>{t("Valid until")}</dt>
      <dd>{day(to)}{own && t(", renews automatically")}</dd>
      {!own && (
        <>
          <dt>{t("Issuer")}</dt>
          <dd>{t("external; not renewed by this router")}</dd>
        </>
      )}
    </dl>
  );
}

function Authority({ authority }: { authority: NonNullable<Tls["authority"]> }): VNode {
  return (
    <div class="pad form">
      <p class="s">
        {t(
          "Browsers warn until they trust this router’s local CA. Install its certificate on each of your devices and compare the fingerprint.",
        )}
      </p>
      <p class="s mono any">{authority.fingerprint}</p>
      <div class="row">
        <a class="btn" href="/cert" download="sluice-ca.crt">{t("Download CA certificate")}</a>
      </div>
    </div>
  );
}

/** These pages over HTTP, on the usual port. */
function plainHref(): string {
  return `http://${location.hostname}/admin/machine`;
}
