import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { PolicyChips } from "../../parts/chips.tsx";
import { Name, Names } from "../../parts/name.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { age, parseWhen } from "../../time.ts";
import type { Device } from "../../wire.ts";
import { nameOf, stateOf } from "../../words.ts";

/** Address of a device's page. */
export function deviceHref(identity: string): string {
  return `/admin/devices/${encodeURIComponent(identity)}`;
}

/** `now`, or how long ago it was seen; `never` when it was not. */
export function seenWords(device: Device, now: number): string {
  if (device.Online) return "now";
  const at = parseWhen(device.DHCPLastTime);
  if (at === null) return "never";
  const text = age(at, now);
  return text === "now" ? "1 min" : text;
}

/** One device: a line on a desk, two lines on a phone. Drawn again only when it says something else. */
export function DeviceRow(
  { identity, device, now, chosen }: {
    identity: string;
    device: Device;
    now: number;
    chosen: boolean;
  },
): VNode {
  const seen = seenWords(device, now);
  return useMemo(
    () => <Line identity={identity} device={device} seen={seen} chosen={chosen} />,
    [identity, device, seen, chosen],
  );
}

function Line(
  { identity, device, seen, chosen }: {
    identity: string;
    device: Device;
    seen: string;
    chosen: boolean;
  },
): VNode {
  const state = stateOf(device);
  const name = nameOf(identity, device);
  const tone = state === "waiting" ? "wait" : state === "offline" ? "off" : "";
  return (
    <tr class={chosen ? `${tone} chosen` : tone} role="row" data-identity={identity}>
      <td class="c-check" role="cell">
        <input class="check" type="checkbox" checked={chosen} aria-label={`Choose ${name}`} />
      </td>
      <td class="c-name" role="cell">
        <div class="who">
          <StateMark state={state} />
          <a href={deviceHref(identity)} data-row>
            <Name>{name}</Name>
          </a>
        </div>
      </td>
      <td class="c-sub" role="cell">
        {state === "waiting"
          ? <span class="heed-t">Waiting for you</span>
          : state === "blocked"
          ? <span class="shut-t">Blocked</span>
          : device.Groups.length === 0
          ? "no group"
          : <Names>{device.Groups}</Names>}
      </td>
      <td class="c-acc" role="cell">
        <PolicyChips device={device} />
      </td>
      <td class="c-groups soft" role="cell">
        {device.Groups.length === 0
          ? <span class="quiet">none</span>
          : <Names>{device.Groups}</Names>}
      </td>
      <td class="c-ip" role="cell">
        {device.RecentIP || <span class="quiet">not known</span>}
      </td>
      <td class="c-link soft" role="cell">
        {device.DHCPLastInterface
          ? <Name>{device.DHCPLastInterface}</Name>
          : <span class="quiet">–</span>}
      </td>
      <td class="c-seen num" role="cell">
        {device.Online ? <span class="quiet">now</span> : seen}
      </td>
    </tr>
  );
}
