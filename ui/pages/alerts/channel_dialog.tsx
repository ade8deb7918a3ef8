import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import type { AlertChannel, ChannelKind } from "./wire.ts";
import { t } from "../../text/language.ts";

const MASK = "**";

/** Titles of the form for a new channel, and for one that there is. */
const TITLES: Readonly<Record<ChannelKind, readonly [string, string]>> = {
  webhook: [t("Add webhook"), t("Edit webhook")],
  ntfy: [t("Add ntfy channel"), t("Edit ntfy channel")],
  email: [t("Add e-mail channel"), t("Edit e-mail channel")],
  push: [t("Add browser"), t("Edit browser")],
};

const SECURITY = [
  ["starttls", "STARTTLS"],
  ["tls", t("TLS from the start")],
  ["none", t("None")],
] as const;

/** Which alerts a channel takes, in a few words. */
const CHOICES = [
  ["all", t("All alerts")],
  ["grave", t("Warnings and errors")],
  ["errors", t("Errors")],
  ["devices", t("New devices")],
] as const;
type Choice = (typeof CHOICES)[number][0] | "own";

const CHOSEN: Readonly<Record<Exclude<Choice, "own">, Pick<AlertChannel, "types" | "only">>> = {
  all: { types: [], only: [] },
  grave: { types: ["warning", "error"], only: [] },
  errors: { types: ["error"], only: [] },
  devices: { types: [], only: ["new-device"] },
};

const NEW: Omit<AlertChannel, "id" | "kind"> = {
  ...{ name: "", enabled: true, types: [], only: [], perHour: 60, quietFrom: "", quietTo: "" },
  ...{ localNetwork: false, url: "", secret: "", topic: "", token: "", host: "", port: 0 },
  ...{ security: "starttls", user: "", password: "", from: "", to: [], browserKey: "", auth: "" },
};

/** Form of a channel: what its kind needs, and which alerts it takes. */
export function ChannelDialog(
  { channel, kind, onClose, onSaved }: {
    /** Null for a new one. */
    channel: AlertChannel | null;
    kind: ChannelKind;
    onClose: () => void;
    onSaved: () => void;
  },
): VNode {
  const stored = channel ?? { ...NEW, kind };
  const draft = useSignal({
    ...stored,
    ...{ secret: "", topic: "", token: "", password: "", port: stored.port || "" },
    to: stored.to.join(", "),
  });
  const write = useForm({
    async send() {
      await call({ method: "PUT", path: "/alerts/channels", body: wanted() });
      onSaved();
      onClose();
    },
  });
  type Draft = typeof draft.value;
  type TextField = {
    [K in keyof Draft]: Draft[K] extends string | number ? K : never;
  }[keyof Draft];

  function wanted() {
    const { secret, topic, token, password, port, to, ...rest } = draft.value;
    const kept = (typed: string, before: string) => typed === "" && before !== "" ? MASK : typed;
    return {
      ...rest,
      secret: kept(secret, stored.secret),
      topic: kept(topic, stored.topic),
      token: kept(token, stored.token),
      password: kept(password, stored.password),
      port: Number(port) || 0,
      to: to.split(/[\s,;]+/).filter((address) => address !== ""),
    };
  }

  const set = (part: Partial<Draft>): void => void (draft.value = { ...draft.value, ...part });

  function text(name: TextField, label: string, help?: string, isSecret = false): VNode {
    const isKept = isSecret && stored[name as "secret"] !== "";
    const message = isKept ? t("Leave empty to keep the stored one") : help;
    return (
      <Field
        label={label}
        {...(message === undefined ? {} : { help: message })}
        {...(isSecret ? { secret: true } : {})}
        autocomplete={isSecret ? "new-password" : "off"}
        maxLength={1024}
        value={String(draft.value[name])}
        problem={write.at(name) ?? (name === "to" ? write.at("to/0") : null)}
        onValue={(value) => {
          write.edited(name);
          set({ [name]: value });
        }}
      />
    );
  }

  const choice = choiceOf(draft.value);
  return (
    <Dialog
      kind="drawer"
      title={TITLES[kind][channel === null ? 0 : 1]}
      note={t("Alerts that notify, and new notices, are sent there")}
      onClose={onClose}
    >
      <Form
        write={write}
        failed={t("The channel was not saved.")}
        class="body form"
        id="alert-channel"
      >
        {text("name", t("Name"))}
        {kind === "webhook" && (
          <>
            {text("url", t("Address"), t("For example https://hooks.example.org/alerts"))}
            {text("secret", t("Key of the signature"), t("At least 16 characters"), true)}
          </>
        )}
        {kind === "ntfy" && (
          <>
            {text("url", t("Server"), t("For example https://ntfy.sh"))}
            {text("topic", t("Topic"), t("Choose one that is hard to guess"), true)}
            {text("token", t("Access token"), t("Where the server asks for one"), true)}
          </>
        )}
        {kind === "email" && (
          <>
            {text("host", t("Server for outgoing mail"), t("For example mail.example.org"))}
            <SelectField
              label={t("Encryption")}
              value={draft.value.security}
              options={SECURITY}
              problem={write.at("security")}
              onValue={(security) => set({ security: security as AlertChannel["security"] })}
            />
            {text("port", t("Port"), t("Empty = 587, or 465 with TLS from the start"))}
            {text("user", t("User name"))}
            {text("password", t("Password"), undefined, true)}
            {text("from", t("Sender"), t("For example router@example.org"))}
            {text("to", t("Recipients"), t("Addresses with commas between them"))}
          </>
        )}
        <SelectField
          label={t("What is sent")}
          value={choice}
          options={choice === "own" ? [...CHOICES, ["own", t("As set by the API")]] : CHOICES}
          onValue={(value) => value !== "own" && set(CHOSEN[value as keyof typeof CHOSEN])}
        />
        {text(
          "quietFrom",
          t("Quiet from"),
          t("A time such as 22:00. Errors are sent all the same"),
        )}
        {text("quietTo", t("Quiet until"), t("What waited is sent then"))}
        {kind !== "push" && (
          <div class="row alert-setting">
            <span class="grow" aria-hidden="true">{t("May be on the local network")}</span>
            <Switch
              label={t("May be on the local network")}
              on={draft.value.localNetwork}
              onFlip={() => set({ localNetwork: !draft.value.localNetwork })}
            />
          </div>
        )}
      </Form>
      <footer class="row">
        <SubmitButton write={write} form="alert-channel" class="btn primary grow">
          {t("Save")}
        </SubmitButton>
        <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
      </footer>
    </Dialog>
  );
}

function choiceOf({ types, only }: Pick<AlertChannel, "types" | "only">): Choice {
  const now = JSON.stringify([types, only]);
  const found = CHOICES.find(([name]) =>
    JSON.stringify([CHOSEN[name].types, CHOSEN[name].only]) === now
  );
  return found?.[0] ?? "own";
}
