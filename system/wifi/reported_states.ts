import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { AirScans } from "./air/scans.ts";
import { RadioStates } from "./radio_states.ts";
import { SupplicantStates } from "./supplicant/states.ts";

/** What wifid reports. */
export interface ReportedStates {
  readonly radios: RadioStates;
  readonly supplicants: SupplicantStates;
  /** Networks that radios received around them. */
  readonly scans: AirScans;
}

/** Nothing is reported yet. */
export function createReportedStates(
  deps: { readonly bus: Pick<Bus, "publish">; readonly notices: NoticeBoard },
): ReportedStates {
  return {
    radios: new RadioStates(deps),
    supplicants: new SupplicantStates(deps),
    scans: new AirScans(),
  };
}
