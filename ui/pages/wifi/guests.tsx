import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { ApiProblem, failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Copy } from "../../parts/show/copy.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { Qr } from "../../parts/show/qr.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { clock, day } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import { wifiText } from "../devices/add/wifi_qr.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { endGuests } from "./guest_actions.ts";
import { GuestDrawer } from "./guest_drawer.tsx";
import { PassDrawer } from "./pass_drawer.tsx";
import type { Guests } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import "../../styles/pages/guests.css";

/** What is shown to be copied, scanned or printed, until the page is left. */
interface Shown {
  /** Of the guest; "" for all. */
  readonly who: string;
  readonly password: string;
}

/** The guest network on one card: on or off, its code to print, until when, and who is there. */
export function GuestsPanel({ onDone }: { onDone: () => void }): VNode {
  const guests = useLoaded<Guests>({ path: "/wifi/guests" }, [changeEvents.value]);
  const open = useSignal<"" | "settings" | "pass">("");
  const shown = useSignal<Shown | null>(null);
  const { body, problem } = guests;
  if (body === null) {
    return problem === null
      ? <Loading what={t("the guest network")} rows={2} />
      : <Fault title={t("The guest network could not be loaded.")}>{problem.message}</Fault>;
  }
  const after = () => {
    guests.reload();
    onDone();
  };
  async function show(): Promise<void> {
    try {
      const path = `/wifi/networks/${encodeURIComponent(body!.Networks[0]!)}/password`;
      const { body: answer } = await call<{ readonly password: string }>({ path });
      shown.value = { who: "", password: answer.password };
    } catch (error) {
      const refused = error instanceof ApiProblem && (error.needsOtp || error.status === 401);
      say({
        text: refused
          ? t("Showing it requires a code.")
          : failureText(error, (text) => t("The password could not be shown. {text}", { text })),
      });
    }
  }
  return (
    <div class="stack">
      <section class="panel" aria-labelledby="guests">
        <header>
          <h2 id="guests">{t("Guest network")}</h2>
          {body.Enabled && (
            <button
              class="btn small"
              type="button"
              onClick={() => open.value = "settings"}
            >
              {t("Edit")}
            </button>
          )}
        </header>
        {body.Enabled
          ? (
            <div class="pad form">
              <div>
                <p class="guest-name">
                  <span class="dot" aria-hidden="true" />
                  <b>
                    <Name>{body.Name}</Name>
                  </b>
                  <span class="quiet">{t("on {radios}", { radios: body.Radios.join(", ") })}</span>
                </p>
                <p class="soft">{endText(body.Until)}.</p>
                <p class="s quiet">
                  {t(
                    "Guests reach the Internet only. They reach neither each other nor your devices.",
                  )}
                </p>
              </div>
              {shown.value !== null && (
                <Card name={body.Name} until={body.Until} shown={shown.value} />
              )}
              <div class="row wrap">
                {body.Passwords === "shared"
                  ? shown.value === null && (
                    <button
                      class="btn primary"
                      type="button"
                      onClick={() => void show()}
                    >
                      {t("Show QR code")}
                    </button>
                  )
                  : (
                    <button class="btn primary" type="button" onClick={() => open.value = "pass"}>
                      <Icon name="plus" small /> {t("Password for a guest")}
                    </button>
                  )}
                {shown.value !== null && (
                  <button
                    class="btn"
                    type="button"
                    onClick={() => globalThis.print()}
                  >
                    <Icon name="printer" small /> {t("Print")}
                  </button>
                )}
                <button
                  class="btn danger"
                  type="button"
                  onClick={() =>
                    openPreview(endGuests(body.Name, () => {
                      shown.value = null;
                      after();
                    }))}
                >
                  {t("Turn off")}
                </button>
              </div>
            </div>
          )
          : (
            <div class="empty">
              <Icon name="people" />
              {body.Free.length === 0
                ? (
                  <p class="s soft">
                    {t("No radio has room for it. Turn on an access point first.")}
                  </p>
                )
                : (
                  <>
                    <p class="s soft">
                      {t("A second Wi-Fi for visitors, with the Internet only.")}
                    </p>
                    <button
                      class="btn primary"
                      type="button"
                      onClick={() => open.value = "settings"}
                    >
                      {t("Turn on")}
                    </button>
                  </>
                )}
            </div>
          )}
      </section>
      {body.Guests.length > 0 && <GuestList guests={body.Guests} />}
      {open.value === "settings" && (
        <GuestDrawer
          guests={body}
          onClose={() => open.value = ""}
          onDone={(password) => {
            shown.value = password === "" ? null : { who: "", password };
            after();
          }}
        />
      )}
      {open.value === "pass" && (
        <PassDrawer
          until={body.Until}
          onClose={() => open.value = ""}
          onDone={(who, password) => {
            shown.value = { who, password };
            after();
          }}
        />
      )}
    </div>
  );
}

function endText(until: number): string {
  const at = until * 1000;
  return until === 0
    ? t("Until you turn it off")
    : t("Until {day}, {clock}", { day: day(at), clock: clock(at) });
}

/** What is handed to guests; alone on the page when it is printed. */
function Card(
  { name, until, shown: { who, password } }: {
    name: string;
    until: number;
    shown: Shown;
  },
): VNode {
  return (
    <div class="guest-card printed">
      <Qr text={wifiText(name, password)} label={t("QR code to join; the password is beside it")} />
      <div class="grow">
        {who !== "" && (
          <p>
            {rich(t("For {who}"), { who: <Name>{who}</Name> })}
          </p>
        )}
        <p class="quiet s">{t("Network")}</p>
        <p class="secret">
          <Name>{name}</Name>
        </p>
        <p class="quiet s" id="guest-password">{t("Password")}</p>
        <div class="row">
          <p class="secret grow" role="group" aria-labelledby="guest-password">{password}</p>
          <Copy text={password} what={t("the password")} />
        </div>
        {until !== 0 && <p class="quiet s">{endText(until)}</p>}
      </div>
    </div>
  );
}

function GuestList({ guests }: { guests: Guests["Guests"] }): VNode {
  return (
    <section class="panel" aria-labelledby="guest-list">
      <header>
        <h2 id="guest-list">{t("Guests")}</h2>
        <span class="note">{guests.length}</span>
      </header>
      <ul class="rows">
        {guests.map((one) => (
          <li key={one.Identity}>
            <div class="grow">
              <a href={deviceHref(one.Identity)}>
                <Name>{one.Name || nameOf(one.Identity, devices.value?.[one.Identity])}</Name>
              </a>
              <p class="quiet">
                {one.Waiting ? t("Has not joined yet") : t("Internet only")}
                {one.Until !== 0 &&
                  t(", until {day}, {clock}", {
                    day: day(one.Until * 1000),
                    clock: clock(one.Until * 1000),
                  })}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
