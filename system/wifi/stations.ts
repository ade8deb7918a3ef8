import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Caller, ChangeEngine, Observations } from "../core/engine/change.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { identityOfMac } from "../devices/mac_owner.ts";
import { leafLink, type StationPlace, type StationPlaces } from "../mesh/leaf_paths.ts";
import type { StationReport } from "../mesh/plan_schema.ts";
import { left, sighted } from "../devices/observation.ts";
import type { StationDisconnect, StationFailure, StationSuccess } from "./schema.ts";
import { associate, type AssociationStatus } from "./station.ts";

/** Dependencies of {@link createStations}. */
export interface StationsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change" | "observe" | "observed">;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  /** Which router each station joined last. */
  readonly places: StationPlaces;
  /** Hands a report on to the parent of a leaf. */
  readonly forward: (report: StationReport) => void;
  /** Lets other routers forget a station, which may not have signed out there. */
  readonly release: (station: RoamedStation) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

/** A station that joined a router. */
export interface RoamedStation {
  readonly MAC: string;
  readonly Iface: string;
  /** Address of the leaf router that it joined; "" for this router. */
  readonly to: string;
  /** Since when it has been there, in monotonic milliseconds. */
  readonly since: number;
  /** Where it was before as far as is known: as `to`; null where nothing is. */
  readonly from: string | null;
  /** Address of the leaf router whose report said so; "" for this router. */
  readonly by: string;
}

/** Handles station reports of access points. */
export interface Stations {
  /** A station associated; returns the outcome. */
  succeeded(report: StationSuccess): Promise<AssociationStatus>;
  /** A station used a wrong password. */
  failed(report: StationFailure): void;
  /** A station disassociated. */
  gone(report: StationDisconnect): Promise<void>;
}

const CALLER: Caller = { by: "wifi", from: null, connection: null };
const AMBIGUOUS = "wifi-pending-ambiguous";

/** Creates the station reports over an engine. */
export function createStations(
  { engine, bus, notices, places, forward, release, now, steady }: StationsDeps,
): Stations {
  async function succeeded(report: StationSuccess): Promise<AssociationStatus> {
    const { MAC, Iface, Router } = report;
    const identity = identityOfMac(engine.config, MAC);
    const since = steady() - report.Seconds * 1000;
    const from = places.find(identity)?.router ?? null;
    /** Where it joined after what is reported; null where the report is the latest. */
    const laterPlace = (): StationPlace | null => {
      const place = places.find(identity);
      return place !== null && place.router !== Router && place.since > since ? place : null;
    };
    // A station that has roamed does not sign out where it was, and is reported from there once more.
    const releaseHere = (later: StationPlace): void =>
      release({ MAC, Iface, since: later.since, to: later.router, from: Router, by: Router });
    const before = laterPlace();
    if (before !== null) {
      releaseHere(before);
      return "Okay";
    }
    let isDevice = false;
    // Our own radios have the station; a leaf may report any, and only devices are worth the memory.
    const observe = (observed: Observations): Observations =>
      laterPlace() === null && (Router === "" || isDevice)
        ? seen(observed, identity, report)
        : observed;
    const outcome = await engine.change({
      kind: "wifi.associate",
      summary: `Automatic: added the Wi-Fi station ${report.MAC}`,
      reduce: (config) => {
        const [next, associated] = associate(config, {
          mac: report.MAC,
          link: report.Iface,
          router: report.Router,
          keyId: report.KeyId || undefined,
        });
        isDevice = Object.hasOwn(next.devices, identity);
        return [next, associated];
      },
    }, { caller: CALLER, observation: true, observe });
    const { status, ambiguous } = outcome.result;
    // It may have joined another router during the change.
    const later = laterPlace();
    if (later !== null) {
      releaseHere(later);
      return status;
    }
    if (isDevice) {
      places.moved(identity, { router: Router, since });
      release({ MAC, Iface, since, to: Router, from, by: Router });
    }
    publish("wifi:auth:success", report, { Event: report.Event, Status: status });
    forward({ kind: "connect", body: report });
    const link = linkOf(report, engine.observed) ?? report.Iface;
    bus.publish("leases", { kind: "station", identity, link, online: true });
    if (ambiguous) {
      await notices.open(
        AMBIGUOUS,
        `${report.MAC} signed in while several passwords wait, and the access point cannot tell ` +
          "which it used. It took the settings of the oldest: see whether they are meant for it, and " +
          "delete it otherwise",
        { subject: report.MAC, link: report.Iface },
      );
    } else if (status === "Installed Pending PSK") {
      await notices.settle(AMBIGUOUS, report.MAC);
    }
    return status;
  }

  /** The interface of ours that leads to a station: of one that joined a leaf, the way to the leaf. */
  function linkOf(
    { Iface, Router }: Pick<StationSuccess, "Iface" | "Router">,
    observed: Observations,
  ): string | null {
    return Router === "" ? Iface : leafLink(engine.config, observed, Router);
  }

  function seen(observed: Observations, identity: string, report: StationSuccess): Observations {
    const link = linkOf(report, observed);
    return link === null
      ? observed
      : sighted(observed, { identity, at: now(), link, online: true });
  }

  function failed(report: StationFailure): void {
    const { Type, Reason, Status } = report;
    publish("wifi:auth:fail", report, { Type, Reason, Status });
    forward({ kind: "failure", body: report });
  }

  async function gone(report: StationDisconnect): Promise<void> {
    const identity = identityOfMac(engine.config, report.MAC);
    // A station that has roamed is reported gone by where it was, often after it joined elsewhere.
    if (places.of(identity) === report.Router) {
      await engine.observe((observed) =>
        left(observed, identity, linkOf(report, observed) ?? report.Iface)
      );
    }
    publish("wifi:station:disconnect", report, { Event: report.Event, Status: "Okay" });
    forward({ kind: "disconnect", body: report });
    bus.publish("leases", { kind: "station", identity, link: report.Iface, online: false });
  }

  function publish(
    topic: string,
    report: { readonly Iface: string; readonly MAC: string; readonly Router: string },
    more: Readonly<Record<string, string>>,
  ): void {
    const { Iface, MAC, Router } = report;
    bus.publish(topic, { Iface, MAC, Router, ...more });
  }

  return { succeeded, failed, gone };
}
