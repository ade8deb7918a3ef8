import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { textOf } from "../../api/problem.ts";
import { clock, day } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { NewToken, type Token } from "./new_token.tsx";
import { t, tn } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** API tokens, shown once the second factor is verified. */
export function TokensPanel(): VNode {
  const tokens = useSignal<readonly Token[] | null>(null);
  const made = useSignal<Token | null>(null);
  const adding = useSignal(false);
  const leaving = useSignal<Token | null>(null);
  const problem = useSignal<string | null>(null);

  async function load(): Promise<void> {
    problem.value = null;
    try {
      tokens.value = (await call<readonly Token[]>({ path: "/tokens" })).body;
    } catch (error) {
      problem.value = textOf(error);
    }
  }

  async function remove({ ID, Name: name }: Token): Promise<void> {
    await call({ method: "DELETE", path: "/tokens", body: { ID } });
    say({ subject: name, text: t("was deleted and no longer works.") });
    await load();
  }

  return (
    <section class="panel" aria-labelledby="tokens">
      <header>
        <h2 id="tokens">{t("API tokens")}</h2>
        <span class="note">{t("for scripts and apps")}</span>
      </header>
      {problem.value && <Fault title={t("The tokens could not be loaded.")}>{problem.value}</Fault>}
      {made.value && (
        <div class="pad form">
          <p>
            {rich(t("{name} Copy it now. It will not be shown again."), {
              name: (
                <b>
                  {rich(t("{name} was created."), {
                    name: <Name>{made.value.Name || t("The token")}</Name>,
                  })}
                </b>
              ),
            })}
          </p>
          <p class="secret">{made.value.Token}</p>
          <div class="row">
            <button class="btn" type="button" onClick={() => made.value = null}>{t("Done")}</button>
          </div>
        </div>
      )}
      {tokens.value !== null && (
        <ul class="rows">
          {tokens.value.length === 0 && <li class="s quiet">{t("None yet.")}</li>}
          {tokens.value.map((token) => (
            <li key={token.ID}>
              <div class="grow">
                <b>
                  <Name>{token.Name || token.Token}</Name>
                </b>
                <p>
                  {token.ScopedPaths.length === 0 ? t("Full access") : token.ScopedPaths.join(", ")}
                  {token.Expire > 0 && t(", until {day}", { day: day(token.Expire * 1000) })}
                  {token.LastUsed > 0
                    ? t(", last used {day}, {clock}", {
                      day: day(token.LastUsed * 1000),
                      clock: clock(token.LastUsed * 1000),
                    })
                    : t(", not used yet")}
                </p>
              </div>
              <button class="btn small danger" type="button" onClick={() => leaving.value = token}>
                {t("Delete")}
                <span class="vh">: {token.Name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="pad row wrap">
        {tokens.value === null && (
          <button class="btn" type="button" onClick={() => void load()}>{t("Show tokens")}</button>
        )}
        <button class="btn" type="button" onClick={() => adding.value = true}>
          {t("Create token")}
        </button>
        {tokens.value !== null && (
          <span class="s quiet">{tn("{count} token", "{count} tokens", tokens.value.length)}</span>
        )}
      </div>
      {leaving.value !== null && (
        <DeleteDialog
          name={leaving.value.Name || leaving.value.Token}
          loss={t("It stops working immediately.")}
          act={() => remove(leaving.value as Token)}
          onClose={() => leaving.value = null}
        />
      )}
      {adding.value && (
        <NewToken
          onClose={() => adding.value = false}
          onMade={(token) => {
            adding.value = false;
            made.value = token;
            void load();
          }}
        />
      )}
    </section>
  );
}
