import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { call } from "../../api/client.ts";
import type { components } from "../../generated/api.ts";
import { Icon } from "../../parts/show/icon.tsx";
import type { Device } from "../../wire.ts";
import { glyphOf } from "./device/glyph.ts";
import { t } from "../../text/language.ts";

type Classification = components["schemas"]["Classification"];

/** Vendors and types of devices by MAC address; empty until they were loaded. */
const classifications = signal<ReadonlyMap<string, Classification>>(new Map());

/** Loads vendors and types for a page, anew when its devices change. Without them the page shows none. */
export function useClassifications(devices: unknown): void {
  useEffect(() => {
    let gone = false;
    call<readonly Classification[]>({ path: "/plugins/lookup/classifications" }).then(
      ({ body }) => {
        if (!gone) classifications.value = new Map((body ?? []).map((one) => [one.MAC, one]));
      },
      () => {
        // The lookup service may be away: names and addresses are enough.
      },
    );
    return () => {
      gone = true;
    };
  }, [devices]);
}

/** To whom the MAC address of a device was assigned; empty where not known. */
export function vendorOf({ MAC }: Pick<Device, "MAC">): string {
  const found = classifications.value.get(MAC);
  if (found === undefined) return "";
  return found.Vendor !== "" ? found.Vendor : found.RandomMAC ? t("Randomized address") : "";
}

/** The vendor of a device in a table. */
export function Vendor({ device }: { device: Device }): VNode {
  const vendor = vendorOf(device);
  const title = classifications.value.get(device.MAC)?.Evidence.join("; ");
  return vendor === "" || vendor === "Randomized address"
    ? <span class="quiet">{vendor === "" ? "–" : t("randomized")}</span>
    : <bdi title={title}>{vendor}</bdi>;
}

/** The icon of a device: the chosen one, else that of its type, else one that fits its name. */
export function TypeIcon({ device }: { device: Device }): VNode {
  const type = classifications.value.get(device.MAC)?.Icon;
  return <Icon name={glyphOf(device, type)} small />;
}
