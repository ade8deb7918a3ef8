import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { textOf } from "../../api/problem.ts";
import { clock, day } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { count } from "../../text/format.ts";
import { NewToken, type Token } from "./new_token.tsx";

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
    say({ subject: name, text: "was deleted and no longer works." });
    await load();
  }

  return (
    <section class="panel" aria-labelledby="tokens">
      <header>
        <h2 id="tokens">API tokens</h2>
        <span class="note">for scripts and apps</span>
      </header>
      {problem.value && <Fault title="The tokens could not be loaded.">{problem.value}</Fault>}
      {made.value && (
        <div class="pad form">
          <p>
            <b>
              <Name>{made.value.Name || "The token"}</Name> was created.
            </b>{" "}
            Copy it now. It will not be shown again.
          </p>
          <p class="secret">{made.value.Token}</p>
          <div class="row">
            <button class="btn" type="button" onClick={() => made.value = null}>Done</button>
          </div>
        </div>
      )}
      {tokens.value !== null && (
        <ul class="rows">
          {tokens.value.length === 0 && <li class="s quiet">None yet.</li>}
          {tokens.value.map((token) => (
            <li key={token.ID}>
              <div class="grow">
                <b>
                  <Name>{token.Name || token.Token}</Name>
                </b>
                <p>
                  {token.ScopedPaths.length === 0 ? "Full access" : token.ScopedPaths.join(", ")}
                  {token.Expire > 0 && `, until ${day(token.Expire * 1000)}`}
                  {token.LastUsed > 0
                    ? `, last used ${day(token.LastUsed * 1000)}, ${clock(token.LastUsed * 1000)}`
                    : ", not used yet"}
                </p>
              </div>
              <button class="btn small danger" type="button" onClick={() => leaving.value = token}>
                Delete<span class="vh">: {token.Name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="pad row wrap">
        {tokens.value === null && (
          <button class="btn" type="button" onClick={() => void load()}>Show tokens</button>
        )}
        <button class="btn" type="button" onClick={() => adding.value = true}>Create token</button>
        {tokens.value !== null && <span class="s quiet">{count(tokens.value.length, "token")}
        </span>}
      </div>
      {leaving.value !== null && (
        <DeleteDialog
          name={leaving.value.Name || leaving.value.Token}
          loss="It stops working immediately."
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
