import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { ByMac } from "./by_mac.tsx";
import { Wifi } from "./wifi.tsx";
import { t } from "../../../text/language.ts";

const METHODS = [["wifi", t("Wi-Fi")], ["mac", t("By MAC address")]] as const;

/** Adds a device that is not here yet: by a password of its own, or by its address. */
export default function AddDevicePage({ title }: PageProps): VNode {
  const { query, route } = useLocation();
  const by = query["by"] === "mac" ? "mac" : "wifi";
  return (
    <>
      <PageHead
        title={title}
        heading={by === "mac" ? t("Add a device") : t("Add a Wi-Fi device")}
        parent={{ href: "/admin/devices", title: t("Devices"), here: t("Add") }}
      >
        <div class="seg" role="group" aria-label={t("Connection type")}>
          {METHODS.map(([value, text]) => (
            <label key={value}>
              <input
                type="radio"
                name="way"
                checked={by === value}
                onChange={() =>
                  route(value === "mac" ? "/admin/devices/add?by=mac" : "/admin/devices/add", true)}
              />
              {text}
            </label>
          ))}
        </div>
      </PageHead>
      {by === "mac" ? <ByMac /> : <Wifi />}
    </>
  );
}
