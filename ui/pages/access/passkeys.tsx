import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, setOtpToken } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { passkey, passkeysWork } from "../../api/passkey.ts";
import { textOf } from "../../api/problem.ts";
import { ago, day } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

interface Status {
  readonly Registered: boolean;
  readonly Credentials: readonly {
    readonly ID: string;
    readonly Name: string;
    /** Unix seconds; `LastUsed` 0: not yet. */
    readonly CreatedAt: number;
    readonly LastUsed: number;
    readonly Host: string;
  }[];
}

/** The user's passkeys, for signing in and as second factor. */
export function PasskeysPanel(): VNode {
  const status = useSignal<Status | null>(null);
  const problem = useSignal<string | null>(null);
  const name = useSignal("");
  const busy = useSignal(false);
  const leaving = useSignal<Status["Credentials"][number] | null>(null);
  useEffect(() => {
    call<Status>({ path: "/webauthn/status" })
      .then(({ body }) => status.value = body, (error) => problem.value = textOf(error));
  }, []);

  async function attempt(act: () => Promise<Status>, done: string): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      status.value = await act();
      say({ text: done });
    } catch (error) {
      problem.value = textOf(error);
    }
    busy.value = false;
  }

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const query: Record<string, string> = name.value.trim() === ""
      ? {}
      : { name: name.value.trim() };
    await attempt(() => passkey<Status>("register", query), t("Passkey added."));
    if (problem.value === null) name.value = "";
  }

  async function remove(ID: string): Promise<void> {
    status.value =
      (await call<Status>({ method: "DELETE", path: "/webauthn/credential", body: { ID } })).body;
    say({ text: t("Passkey deleted. Its sessions were signed out.") });
  }

  async function prove(): Promise<void> {
    await attempt(async () => {
      setOtpToken(await passkey<string>("validate"));
      return status.value as Status;
    }, t("Verified in this tab."));
  }

  return (
    <section class="panel" aria-labelledby="passkeys">
      <header>
        <h2 id="passkeys">{t("Passkeys")}</h2>
        <span class="note">{status.value?.Registered ? "" : t("none yet")}</span>
      </header>
      {problem.value && <Fault title={t("Failed.")}>{problem.value}</Fault>}
      {status.value === null
        ? problem.value === null && <Loading what={t("passkeys")} rows={2} />
        : (
          <ul class="rows">
            {status.value.Credentials.map((one) => (
              <li key={one.ID}>
                <div class="grow">
                  <b>
                    <Name>{one.Name}</Name>
                  </b>
                  <p>
                    {t("for {host}, since {day}", {
                      host: one.Host,
                      day: day(one.CreatedAt * 1000),
                    })}
                    {one.LastUsed > 0 && t(", used {used}", { used: used(one.LastUsed) })}
                  </p>
                </div>
                <button
                  class="btn small danger"
                  type="button"
                  disabled={busy.value}
                  onClick={() => leaving.value = one}
                >
                  {t("Delete")}
                  <span class="vh">: {one.Name}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      {passkeysWork()
        ? (
          <form class="pad form" onSubmit={(event) => void add(event)}>
            <p class="s soft">
              {rich(
                t("Sign in without a password, with the screen lock of your phone or computer. Works for this host name only: {hostname}"),
                { hostname: <bdi>{location.hostname}</bdi> },
              )}
            </p>
            <Field
              label={t("Passkey name")}
              autocomplete="off"
              maxLength={64}
              placeholder={t("My phone")}
              value={name.value}
              onValue={(value) => name.value = value}
            />
            <div class="row wrap">
              <button class="btn" type="submit" disabled={busy.value}>{t("Add passkey")}</button>
              {status.value?.Registered && (
                <button
                  class="btn"
                  type="button"
                  disabled={busy.value}
                  onClick={() => void prove()}
                >
                  {t("Verify with passkey")}
                </button>
              )}
            </div>
          </form>
        )
        : (
          <p class="pad s soft">
            {t("Passkeys require HTTPS and a host name.")}
          </p>
        )}
      {leaving.value !== null && (
        <DeleteDialog
          name={leaving.value.Name}
          loss={t("It stops working and its sessions are signed out.")}
          act={() => remove((leaving.value as { readonly ID: string }).ID)}
          onClose={() => leaving.value = null}
        />
      )}
    </section>
  );
}

function used(seconds: number): string {
  return ago(seconds * 1000);
}
