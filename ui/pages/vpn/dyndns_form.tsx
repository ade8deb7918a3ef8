import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/apply.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { age } from "../../text/time.ts";
import { saveDyndns } from "./actions.ts";
import { listOf } from "./text.ts";
import type { Dyndns, DyndnsStatus } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads of the results. */
const LOAD_INTERVAL_MS = 15_000;

const PROVIDERS: readonly Dyndns["provider"][] = [
  ...["Cloudflare", "DuckDNS", "Dyn", "Dynu", "Dynv6", "HE", "NoIP", "OVH", "Strato"] as const,
  ...["deSEC", "Custom"] as const,
];
const OPTIONS = [
  ["", t("Off")],
  ...PROVIDERS.map((name) => [name, name === "Custom" ? t("Custom") : name]),
] as [string, string][];
/** Providers that go by a token; the others go by user name and password. */
const BY_TOKEN: readonly string[] = ["Cloudflare", "DuckDNS", "Dynv6", "deSEC"];

/** Dynamic DNS: a name that follows the router's address. */
export function DyndnsForm(): VNode {
  const loaded = useLoaded<Dyndns>({ path: "/plugins/dyndns/config" }, [changeEvents.value]);
  if (loaded.body === null) {
    return loaded.problem === null
      ? <Loading what={t("dynamic DNS")} rows={3} />
      : <Fault title={t("Dynamic DNS could not be loaded.")}>{loaded.problem.message}</Fault>;
  }
  return <Settings now={loaded.body} etag={loaded.etag} onDone={loaded.reload} />;
}

function Settings(
  { now, etag, onDone }: { now: Dyndns; etag: string | null; onDone: () => void },
): VNode {
  const provider = useSignal<string>(now.provider);
  const email = useSignal(now.email);
  const password = useSignal(now.password);
  const token = useSignal(now.login_token);
  const domain = useSignal(now.domains[0]?.domain_name ?? "");
  const names = useSignal(now.domains[0]?.sub_domains.join(", ") ?? "");
  const url = useSignal(now.update_url);
  const pages = useSignal(now.ip_urls.join(", "));
  useEffect(() => {
    provider.value = now.provider;
    email.value = now.email;
    password.value = now.password;
    token.value = now.login_token;
    domain.value = now.domains[0]?.domain_name ?? "";
    names.value = now.domains[0]?.sub_domains.join(", ") ?? "";
    url.value = now.update_url;
    pages.value = now.ip_urls.join(", ");
  }, [etag]);
  const isCustom = provider.value === "Custom";
  const write = useForm({
    check: () =>
      provider.value !== "" && domain.value.trim() === ""
        ? [{ pointer: "/domains", message: t("Enter the domain") }]
        : [],
    send: ({ overwrite }) =>
      applyOrPreview(saveDyndns(
        {
          ...now,
          provider: provider.value as Dyndns["provider"],
          email: email.value.trim(),
          password: password.value,
          login_token: token.value,
          domains: domain.value.trim() === "" ? now.domains.slice(1) : [
            { domain_name: domain.value.trim(), sub_domains: listOf(names.value) },
            ...now.domains.slice(1),
          ],
          update_url: url.value.trim(),
          ip_urls: listOf(pages.value),
        },
        overwrite ? null : etag,
        onDone,
      )),
  });
  return (
    <section class="panel" aria-labelledby="dyndns">
      <header>
        <h2 id="dyndns">{t("Dynamic DNS")}</h2>
        <span class="note">{t("a name that follows this router's address")}</span>
      </header>
      <Form write={write} class="form pad" failed={t("Dynamic DNS was not saved.")}>
        <SelectField
          label={t("Provider")}
          value={provider.value}
          options={OPTIONS}
          problem={write.at("provider")}
          onValue={(value) => provider.value = value}
        />
        {provider.value !== "" && (
          <>
            <Field
              label={t("Domain")}
              help={t("For example example.org")}
              autocomplete="off"
              {...write.text("domains", domain)}
            />
            <Field
              label={t("Names in it")}
              help={t("For example home, or @ for the domain itself")}
              autocomplete="off"
              value={names.value}
              onValue={(value) => names.value = value}
            />
            {(BY_TOKEN.includes(provider.value) || isCustom) && (
              <Field
                label={t("Token")}
                secret
                autocomplete="off"
                {...write.text("login_token", token)}
              />
            )}
            {!BY_TOKEN.includes(provider.value) && (
              <>
                <Field label={t("User name")} autocomplete="off" {...write.text("email", email)} />
                <Field
                  label={t("Password")}
                  secret
                  autocomplete="off"
                  {...write.text("password", password)}
                />
              </>
            )}
            {isCustom && (
              <Field
                label={t("Update URL")}
                help={t("With {host}, {ip} and, if needed, {token}")}
                autocomplete="off"
                {...write.text("update_url", url)}
              />
            )}
            <Field
              label={t("Pages that tell the public address")}
              help={t("Only needed behind another router. Empty: the WAN address is used")}
              autocomplete="off"
              {...write.text("ip_urls", pages)}
            />
          </>
        )}
        <div class="row">
          <SubmitButton write={write}>{t("Save dynamic DNS")}</SubmitButton>
        </div>
      </Form>
      {now.provider !== "" && <Results />}
    </section>
  );
}

/** How the names stand at the provider. */
function Results(): VNode {
  const { body, reload } = useLoaded<DyndnsStatus>({ path: "/plugins/dyndns/status" }, [
    changeEvents.value,
    usePulse(LOAD_INTERVAL_MS),
  ]);
  const busy = useSignal(false);
  async function refresh(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    try {
      await call({ method: "PUT", path: "/plugins/dyndns/refresh" });
      reload();
    } catch (error) {
      say({
        text: failureText(error, (text) => t("The names were not updated. {text}", { text })),
      });
    } finally {
      busy.value = false;
    }
  }
  return (
    <>
      <ul class="setting-list" aria-label={t("Names")}>
        {(body?.Items ?? []).map(({ Host, Address, OK, Message, Time }) => (
          <li key={Host}>
            <div>
              <b>
                <Name>{Host}</Name>
              </b>
              <p class={OK ? "quiet" : "warning-t"}>
                {OK ? Address : Message}
                {Time > 0 && t(", {age} ago", { age: age(Time * 1000, Date.now()) })}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <footer>
        <button
          class="btn small"
          type="button"
          aria-disabled={busy.value}
          onClick={() => void refresh()}
        >
          {t("Update now")}
        </button>
      </footer>
    </>
  );
}
