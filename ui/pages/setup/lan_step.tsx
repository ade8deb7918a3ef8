import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, put } from "../../api/client.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { MissingPackages } from "../../parts/show/missing_packages.tsx";
import { loadNetwork, loadPackages, network, packages, radioEvents } from "../../state/store.ts";
import type { Preview } from "../../wire.ts";
import type { Subnets } from "../dhcp/wire.ts";
import { listOf, proposalOf, routerAddress } from "../dhcp/text.ts";
import type { LinkRow } from "../network/interface_rows.ts";
import { faultAt } from "./field_problem.ts";
import type { Radios } from "../wifi/wire.ts";
import { isFree } from "./first_wifi.tsx";
import { interfaceNote, isRadio, likelyLan } from "./guide.ts";
import { turnOn, useWifiChoice, WifiFields } from "./wifi_fields.tsx";
import { t } from "../../text/language.ts";

/** LAN ports and address pools; with this step the router starts to work. */
export function LanStep(
  { rows, open, onBack, onDone }: {
    rows: readonly LinkRow[];
    open: boolean;
    onBack: () => void;
    onDone: () => void;
  },
): VNode {
  const rest = rows.filter(({ decided }) => decided?.Type !== "Uplink");
  const adapters = rest.filter(isRadio), free = rest.filter((row) => !isRadio(row));
  const radios = useLoaded<Radios>(adapters.length === 0 ? null : { path: "/wifi/radios" }, [
    radioEvents.value,
    adapters.length,
  ]);
  const wifi = useWifiChoice();
  const onAir = useSignal<readonly string[]>([]);
  /** Null until the person chooses. */
  const choice = useSignal<readonly string[] | null>(null);
  const chosen = choice.value ?? likelyLan(rows);
  const typed = useSignal("");
  const nets = useSignal("");
  const lasts = useSignal<Subnets | null>(null);
  /** Why this page would lose the router; null until that is known. */
  const lost = useSignal<string | null>(null);
  const keepOpen = useSignal(false);
  const write = useForm({ send: decide });
  useEffect(() => {
    void loadPackages();
    call<Subnets>({ path: "/subnetConfig" }).then(({ body }) => {
      lasts.value = body;
      if (nets.peek() === "") nets.value = body.TinyNets.join(", ");
    }, () => {});
  }, []);

  async function decide(): Promise<void> {
    const names = rest.length > 0 ? chosen : [typed.value.trim()].filter((one) => one !== "");
    const points = onAir.value;
    if (names.length + points.length === 0) {
      throw faultAt("Name", t("Select at least one interface"));
    }
    if (points.length > 0 && wifi.ssid.value.trim() === "") {
      throw faultAt("Ssid", t("Enter a name"));
    }
    const wanted = listOf(nets.value);
    if (lasts.value !== null && wanted.join() !== lasts.value.TinyNets.join()) {
      await put("/subnetConfig", { TinyNets: wanted, LeaseTime: lasts.value.LeaseTime });
      lasts.value = { ...lasts.value, TinyNets: wanted };
    }
    if (lost.peek() === null && names.length > 0) {
      lost.value = await ownAccessLost(names);
      if (lost.peek() !== null) return;
    }
    if (keepOpen.peek()) await openUplinkSide();
    // The way in was shown before; what is refused by the guard alone is wanted by now.
    const query = lost.peek() === null ? {} : { force: "true" };
    const dropped = free.filter(({ name, decided }) =>
      decided?.Type === "Downlink" && !names.includes(name)
    );
    for (const { name } of dropped) await setLink(name, "Other", query);
    // Setup ends ahead of the last link: with it this page may lose the router.
    const last = names.at(-1);
    for (const name of names.slice(0, -1)) await setLink(name, "Downlink", query);
    await turnOn(points, wifi, radios.body);
    if (open) await put("/setup_done");
    if (last !== undefined) await setLink(last, "Downlink", query);
    void loadNetwork();
    onDone();
  }

  const proposal = proposalOf(write.problem);
  return (
    <div class="stack">
      <p class="soft">
        {t("Devices get an address from this router and have no access until approved.")}
      </p>
      <Form write={write} failed={t("Not all settings were saved.")}>
        {rest.length > 0
          ? free.length > 0 && (
            <fieldset class="field">
              <legend class="label">{t("LAN interfaces")}</legend>
              {free.map((row) => (
                <CheckField
                  key={row.name}
                  label={row.name}
                  help={interfaceNote(row)}
                  value={chosen.includes(row.name)}
                  onValue={(on) =>
                    choice.value = on
                      ? [...chosen, row.name]
                      : chosen.filter((name) => name !== row.name)}
                />
              ))}
            </fieldset>
          )
          : (
            <Field
              label={t("Interface name")}
              help={t("For example eth1")}
              autocomplete="off"
              {...write.text("Name", typed)}
            />
          )}
        {adapters.length > 0 && (
          <fieldset class="field">
            <legend class="label">{t("Wi-Fi")}</legend>
            {adapters.map(({ name }) => (
              <CheckField
                key={name}
                label={name}
                help={adapterNote(radios.body, name)}
                value={onAir.value.includes(name)}
                onValue={(on) =>
                  onAir.value = on
                    ? [...onAir.value, name]
                    : onAir.value.filter((one) => one !== name)}
              />
            ))}
          </fieldset>
        )}
        {onAir.value.length > 0 && <WifiFields choice={wifi} radios={radios} write={write} />}
        {rest.length > 0 && write.at("Name") && (
          <p class="problem" role="alert">{write.at("Name")}</p>
        )}
        <Field
          label={t("LAN subnet")}
          help={t("For example 192.168.2.0/24. Router IP: {routerAddress}", {
            routerAddress: routerAddress(listOf(nets.value)) || t("the first address"),
          })}
          autocomplete="off"
          {...write.text("TinyNets", nets)}
        />
        {proposal !== null && (
          <button
            class="btn"
            type="button"
            onClick={() => {
              nets.value = listOf(nets.value)
                .map((net, index) => index === proposal.index ? proposal.net : net).join(", ");
              write.clear();
            }}
          >
            {t("Use {net}", { net: proposal.net })}
          </button>
        )}
        <Installs />
        {lost.value !== null && (
          <>
            <Fault warning title={t("This page will lose its connection.")}>
              {t(
                "{lost}. Then connect this computer to one of these interfaces and open http://{routerAddress}/",
                { lost: lost.value, routerAddress: routerAddress(listOf(nets.value)) },
              )}
            </Fault>
            <CheckField
              label={t("Allow the web UI on WAN")}
              help={t(
                "Opens its port until you close it under Firewall rules. Not if WAN has a public address",
              )}
              value={keepOpen.value}
              onValue={(on) => keepOpen.value = on}
            />
          </>
        )}
        <div class="row">
          <SubmitButton write={write}>
            {lost.value === null ? t("Start network") : t("Start network anyway")}
          </SubmitButton>
          <button class="btn" type="button" onClick={onBack}>{t("Back")}</button>
        </div>
      </Form>
    </div>
  );
}

/** What is installed with this step, which is the first that is applied. */
function Installs(): VNode | null {
  if (packages.value === null || network.value?.state === "applied") return null;
  const { installs } = packages.value;
  const items = packages.value.items.filter(({ installed }) => installed !== true);
  return items.length === 0 ? null : <MissingPackages missing={{ items, installs }} />;
}

/** What an adapter is for, as far as it is known before its tools are installed. */
function adapterNote(radios: Radios | null, name: string): string {
  const radio = radios?.items.find((one) => one.name === name);
  if (radio === undefined) return t("Make it an access point");
  if (!isFree(radio)) return t("Cannot be an access point with a password per device");
  return t("Make it an access point, {bands}", {
    bands: radio.bands.map(({ band }) => t("{band} GHz", { band })).join(", "),
  });
}

async function setLink(
  Name: string,
  Type: "Downlink" | "Other",
  query: Readonly<Record<string, string>>,
): Promise<void> {
  const body = { Name, Type, Enabled: Type === "Downlink" };
  await call({ method: "PUT", path: "/link/config", query, body });
}

/** In words why the browser's own connection ends with these links; null when it goes on. */
async function ownAccessLost(names: readonly string[]): Promise<string | null> {
  const { body } = await call<Preview>({
    method: "PUT",
    path: "/link/config",
    query: { dryRun: "true" },
    body: { Name: names[0], Type: "Downlink", Enabled: true },
  });
  const { own } = body.reach;
  if (own === null || own.after.verdict === "accept") return null;
  return own.after.steps.at(-1)?.comment ?? t("No rule would allow access to this page");
}

async function openUplinkSide(): Promise<void> {
  await put("/firewall/service_port", {
    Protocol: "tcp",
    Port: location.port || (location.protocol === "https:" ? "443" : "80"),
    UpstreamEnabled: true,
    Description: t("Admin UI"),
  });
}
