import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { put } from "../../api/client.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { devices, loadDevices, loadPackages, network, packages } from "../../state/store.ts";
import { announcement } from "../../state/toast.ts";
import type { Device } from "../../wire.ts";
import { isPendingApproval, nameOf } from "../../text/format.ts";
import { ADMIN } from "../../text/policies.ts";
import { CHOICES } from "../devices/add/actions.ts";
import type { LinkRow } from "../network/interface_rows.ts";
import { useNetwork } from "../devices/wifi_code.tsx";
import { FirstWifi, JoinOptions } from "./first_wifi.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Devices that are shown at once. */
const SHOWN = 5;

/** Waits for devices, shows each as it joins, and approves it with a name. */
export function FirstDevice(
  { rows, onBack }: { rows: readonly LinkRow[]; onBack: () => void },
): VNode {
  const { route } = useLocation();
  const met = useRef<ReadonlySet<string>>(new Set());
  const there = Object.entries(devices.value ?? {})
    .filter(([, device]) => device.RecentIP !== "" && device.DHCPLastInterface !== "");
  useEffect(() => {
    void loadPackages();
  }, []);
  useEffect(() => {
    const fresh = there.filter(([identity]) => !met.current.has(identity));
    met.current = new Set(there.map(([identity]) => identity));
    if (fresh.length === 0) return;
    announcement.value = fresh.map(([identity, device]) =>
      t("{name} connected.", { name: nameOf(identity, device) })
    )
      .join(" ");
  }, [there.length]);
  const wifi = useNetwork();
  const links = rows.filter(({ decided }) => decided?.Type === "Downlink" && decided.Enabled)
    .map(({ name }) => name);
  return (
    <div class="stack">
      <p class="soft">
        {network.value?.state === "applied"
          ? (
            <>
              {t("Your network is ready. Connect a device to")}{" "}
              {rich(t("{joinOptions} and it appears here."), {
                joinOptions: <JoinOptions links={links} network={wifi} />,
              })}
            </>
          )
          : packages.value?.installing
          ? t(
            "Setup is complete. Debian packages are being installed; your network starts afterwards.",
          )
          : network.value?.state === "model"
          ? t("Setup is complete. In demo mode no device can connect.")
          : network.value === null
          ? t("Setup is complete.")
          : t("Setup is complete. See the message above for why the network is not active.")}
      </p>
      {there.length === 0
        ? network.value?.state !== "model" && (
          <p class="state" role="status">
            <span class="dot off" aria-hidden="true" />
            {t("Waiting for a device")}
          </p>
        )
        : there.slice(0, SHOWN).map(([identity, device]) => (
          <Guest key={identity} identity={identity} device={device} />
        ))}
      {network.value?.state === "applied" && <FirstWifi network={wifi} />}
      <div class="row">
        <button class="btn primary" type="button" onClick={() => route("/admin")}>
          {there.length === 0 ? t("Finish without a device") : t("Finish")}
        </button>
        <button class="btn" type="button" onClick={onBack}>{t("Back")}</button>
      </div>
    </div>
  );
}

function Guest({ identity, device }: { identity: string; device: Device }): VNode {
  const name = useSignal(device.Name);
  const access = useSignal("internet");
  const admin = useSignal(!device.Policies.includes("noapi"));
  const done = useSignal(false);
  const word = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone by then.
  useEffect(() => word.current?.focus(), [done.value]);
  const write = useForm({ send: letIn });

  async function letIn(): Promise<void> {
    const policies = CHOICES.find(({ value }) => value === access.value)?.policies ?? [];
    await put(`/device?${new URLSearchParams({ identity })}`, {
      Name: name.value.trim(),
      Policies: admin.value ? policies : [...policies, "noapi"],
      AdminAccess: admin.value,
    });
    done.value = true;
    announcement.value = t("{name} was approved.", { name: name.value.trim() || identity });
    await loadDevices();
  }

  return (
    <section class="panel" aria-label={nameOf(identity, device)}>
      <header>
        <h2>
          <Name>{nameOf(identity, device)}</Name>
        </h2>
        <span class="s soft">
          {rich(t("{recentIP} on {dhcpLastInterface}"), {
            recentIP: device.RecentIP,
            dhcpLastInterface: <Name>{device.DHCPLastInterface}</Name>,
          })}
        </span>
      </header>
      {!done.value && !write.busy && !isPendingApproval(device)
        ? (
          <p class="pad">
            {t("Already approved.")}{" "}
            <a href={`/admin/devices/${encodeURIComponent(identity)}`}>{t("View device")}</a>
          </p>
        )
        : done.value
        ? (
          <p class="pad state" ref={word} tabIndex={-1}>
            <Icon name="gate_open" />
            {t("Approved. Access is active now.")}
          </p>
        )
        : (
          <Form write={write} failed={t("Not approved.")} class="form pad">
            <Field
              label={t("Name")}
              help={t("Also its local DNS name")}
              autocomplete="off"
              {...write.text("Name", name)}
            />
            <SelectField
              label={t("Access")}
              help={CHOICES.find(({ value }) => value === access.value)?.help}
              value={access.value}
              options={CHOICES.map(({ value, label }) => [value, label])}
              onValue={(value) => access.value = value}
            />
            <CheckField
              label={ADMIN.title}
              help={ADMIN.description}
              value={admin.value}
              onValue={(on) => admin.value = on}
            />
            <div class="row">
              <SubmitButton write={write}>{t("Approve")}</SubmitButton>
            </div>
          </Form>
        )}
    </section>
  );
}
