import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { Crumb } from "../../../parts/show/crumb.tsx";
import { useTitle } from "../../../parts/show/page_title.ts";
import { ByMac } from "./by_mac.tsx";
import { Wifi } from "./wifi.tsx";

const WAYS = [["wifi", "Wi-Fi"], ["mac", "By MAC address"]] as const;

/** Adds a device that is not here yet: by a password of its own, or by its address. */
export default function AddDevicePage(): VNode {
  useTitle("Add a device");
  const { query, route } = useLocation();
  const by = query["by"] === "mac" ? "mac" : "wifi";
  return (
    <>
      <div class="head">
        <div>
          <Crumb area="Devices" href="/admin/devices">Add</Crumb>
          <h1>{by === "mac" ? "Add a device" : "Add a Wi-Fi device"}</h1>
        </div>
        <div class="seg" role="group" aria-label="How it joins">
          {WAYS.map(([value, words]) => (
            <label key={value}>
              <input
                type="radio"
                name="way"
                checked={by === value}
                onChange={() =>
                  route(value === "mac" ? "/admin/devices/add?by=mac" : "/admin/devices/add", true)}
              />
              {words}
            </label>
          ))}
        </div>
      </div>
      {by === "mac" ? <ByMac /> : <Wifi />}
    </>
  );
}
