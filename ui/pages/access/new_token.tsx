import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { FactorNote } from "../../parts/show/factor_note.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { Form } from "../../parts/form/form.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { ApiToken } from "../../wire.ts";
import {
  covers,
  pagesOf,
  proposals,
  type RouteLine,
  routesOf,
  type Scope,
  scopeFault,
  scopeText,
} from "./scopes.ts";
import { t, tn } from "../../text/language.ts";

/** A token as it is listed; whole only in the answer to its creation. */
export type Token = ApiToken;

const DAY = 86_400;
const EXPIRIES: readonly (readonly [string, string])[] = [
  ["0", t("Never")],
  [String(DAY), t("In 1 day")],
  [String(30 * DAY), t("In 30 days")],
  [String(365 * DAY), t("In 1 year")],
];

/** Creates a token: its scopes next to the effective permissions. */
export function NewToken(
  { onClose, onMade }: { onClose: () => void; onMade: (token: Token) => void },
): VNode {
  const name = useSignal("");
  const span = useSignal(String(30 * DAY));
  const scopes = useSignal<readonly Scope[]>([{ path: "/devices", mode: "r" }]);
  const document = useLoaded<unknown>({ path: "/openapi.json" }, []);
  const routes = document.body === null ? [] : routesOf(document.body);

  function change(index: number, part: Partial<Scope>): void {
    scopes.value = scopes.value.map((scope, at) => at === index ? { ...scope, ...part } : scope);
  }

  const write = useForm({
    check: () =>
      scopes.value.flatMap(({ path }, index) => {
        const message = scopeFault(path);
        return message === null ? [] : [{ pointer: `/ScopedPaths/${index}`, message }];
      }),
    async send() {
      const seconds = Number(span.value);
      const { body } = await put<Token>("/tokens", {
        Name: name.value.trim(),
        Expire: seconds === 0 ? 0 : Math.floor(Date.now() / 1000) + seconds,
        ScopedPaths: scopes.value.map(scopeText),
      });
      onMade(body);
    },
  });

  return (
    <Dialog kind="drawer" title={t("Create token")} note={t("Shown once")} onClose={onClose}>
      <div class="body" tabIndex={0} role="region" aria-label={t("Token")}>
        <FactorNote what={t("Creating a token")} />
        <Form
          write={write}
          failed={t("The token was not created.")}
          id="new-token"
          class="part form"
        >
          <Field
            label={t("Name")}
            help={t("Shown in the change history")}
            autocomplete="off"
            maxLength={128}
            {...write.text("Name", name)}
          />
          <SelectField
            label={t("Expires")}
            options={EXPIRIES}
            {...write.text("Expire", span)}
          />
          <fieldset class="field">
            <legend class="label">{t("Permissions")}</legend>
            {scopes.value.length === 0 && (
              <p class="s warning-t">{t("Full access: no restrictions.")}</p>
            )}
            {scopes.value.map((scope, index) => (
              <div key={index} class="row scope">
                <Field
                  label={t("Path {index}", { index: index + 1 })}
                  list="scope-paths"
                  autocomplete="off"
                  problem={scopeFault(scope.path) ?? write.at(`ScopedPaths/${index}`)}
                  value={scope.path}
                  onValue={(path) => {
                    change(index, { path });
                    write.edited(`ScopedPaths/${index}`);
                  }}
                />
                <SelectField
                  label={t("Permission")}
                  value={scope.mode}
                  options={[["r", t("read")], ["rw", t("read/write")]]}
                  onValue={(mode) => change(index, { mode: mode === "rw" ? "rw" : "r" })}
                />
                <button
                  class="icon-btn"
                  type="button"
                  aria-label={t("Remove path {index}", { index: index + 1 })}
                  onClick={() => scopes.value = scopes.value.filter((_, at) => at !== index)}
                >
                  <Icon name="x" small />
                </button>
              </div>
            ))}
            <datalist id="scope-paths">
              {proposals(routes).map((path) => <option key={path} value={path} />)}
            </datalist>
            <div class="row">
              <button
                class="btn small"
                type="button"
                onClick={() => scopes.value = [...scopes.value, { path: "/", mode: "r" }]}
              >
                <Icon name="plus" small />
                {t("Path")}
              </button>
              <button
                class="btn small"
                type="button"
                onClick={() => scopes.value = [{ path: "/", mode: "r" }]}
              >
                {t("Everything, read only")}
              </button>
            </div>
          </fieldset>
        </Form>
        {routes.length > 0 && <EffectivePermissions scopes={scopes.value} routes={routes} />}
        {document.problem && (
          <Fault title={t("Effective permissions could not be loaded.")}>
            {document.problem.message}
          </Fault>
        )}
      </div>
      <FormFooter write={write} form="new-token" text={t("Create token")} onClose={onClose} />
    </Dialog>
  );
}

/** The routes that the scopes cover, by area. */
function EffectivePermissions(
  { scopes, routes }: { scopes: readonly Scope[]; routes: readonly RouteLine[] },
): VNode {
  const covered = routes.filter((route) => covers(scopes, route));
  const pages = pagesOf(scopes, routes);
  const changing = covered.filter(({ method }) => method !== "GET" && method !== "HEAD");
  return (
    <section class="part" aria-label={t("Effective permissions")}>
      <h3>
        {t("Effective permissions")}
        <span class="n">
          {tn(
            "{count} route, {changing} with write access",
            "{count} routes, {changing} with write access",
            covered.length,
            { changing: changing.length },
          )}
        </span>
      </h3>
      {covered.length === 0 && <p class="s warning-t">{t("None: no route matches.")}</p>}
      {pages.length > 0 && (
        <p class="s">
          {t("Same as these pages: {pages}.", {
            pages: pages.map(({ title, mode }) => `${title} (${mode})`).join(", "),
          })}
        </p>
      )}
      {[...Map.groupBy(covered, ({ tag }) => tag)].map(([tag, lines]) => (
        <details key={tag} class="more">
          <summary>
            {t("{tag}, {lines} of {filter}", {
              tag,
              lines: lines.length,
              filter: routes.filter((route) =>
                route.tag === tag
              ).length,
            })}
          </summary>
          <ul class="gl">
            {lines.map(({ method, path, summary, otp }) => (
              <li key={`${method} ${path}`}>
                <span />
                <span class="mono any">{method} {path}</span>
                <span class="r">{otp ? t("requires a code") : ""}</span>
                <span class="reason">{summary}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
