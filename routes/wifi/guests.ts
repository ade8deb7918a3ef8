import { generatePsk } from "../../system/devices/psk.ts";
import {
  GuestPass,
  GuestPassRequest,
  GuestRequest,
  GuestStatus,
} from "../../system/wifi/guests/schema.ts";
import {
  chosenRadios,
  endGuests,
  freePending,
  guestSecrets,
  guestStatus,
  makePass,
  setGuests,
} from "../../system/wifi/guests/rules.ts";
import { type Route, route } from "../http/route.ts";
import type { HostapdDeps } from "./hostapd.ts";
import { verdictsOf } from "./verdicts.ts";

/** What the routes of the guest network need from outside. */
export interface GuestDeps extends Pick<HostapdDeps, "engine" | "wifid"> {
  readonly random: (length: number) => Uint8Array;
  /** Unix milliseconds by the trusted clock. */
  readonly counted: () => number;
}

/** The guest network in one act, and passwords for single guests. */
export function guestRoutes({ engine, wifid, random, counted }: GuestDeps): Route[] {
  const verdicts = verdictsOf(wifid);
  const common = {
    path: "/wifi/guests",
    tag: "Wireless",
    access: "auth",
    document: "guests",
  } as const;
  const now = (): number => Math.floor(counted() / 1000);
  return [
    route({
      ...common,
      method: "GET",
      summary: "The guest network",
      description:
        "Whether it is on the air, its name, until when, and the guests that are known. " +
        "`GET /wifi/networks/{network}/password` shows the password that all guests share.",
      response: GuestStatus,
    }, () => guestStatus(engine.config)),
    route({
      ...common,
      method: "PUT",
      summary: "Turn the guest network on, or change it",
      description:
        "An additional network on every radio that is on and has room, or on those of `Radios`. Devices " +
        "that join it are tagged `guest`, and reach the Internet and names alone. It ends by itself at " +
        "`Until`. Without `Password` one is generated, which this response shows; the mask `**` leaves " +
        "it. With `Passwords` `guest` each guest gets its own by `PUT /wifi/guests/pass`.",
      examples: {
        body: { Name: "Guests", Passwords: "shared", Password: "", Until: 0, Radios: [] },
      },
      body: GuestRequest,
      response: GuestStatus,
      errors: [409, 412, 502, 503],
    }, async (call) => {
      const generated = generatePsk(random);
      const reduce = (config: typeof engine.config) =>
        setGuests(config, call.body, { generated, now: now() });
      const [next] = reduce(engine.config);
      for (const name of chosenRadios(engine.config, call.body)) {
        await verdicts.requireAccepted(next, name);
      }
      return await call.decide({
        kind: "wifi.guests",
        summary: `Set the guest network ${call.body.Name}`,
        secrets: () => guestSecrets(engine.config, call.body),
        reduce: (config) => {
          const [changed, { Password }] = reduce(config);
          const status = guestStatus(changed);
          return [changed, { ...status, Password: Password || status.Password }];
        },
      }, (result) => result);
    }),
    route({
      ...common,
      method: "DELETE",
      summary: "End the guest network",
      description:
        "Its stations are disconnected, and passwords of single guests end with it. An undo brings " +
        "everything back.",
      errors: [409, 412, 502],
    }, (call) =>
      call.decide({
        kind: "wifi.guests.end",
        summary: "Ended the guest network",
        reduce: endGuests,
      })),
    route({
      ...common,
      path: "/wifi/guests/pass",
      document: "devices",
      method: "PUT",
      summary: "Make a password for one guest",
      description:
        "The first device that joins with it keeps it, and may use the Internet and names alone until " +
        "`Until`, at most until the guest network ends. The password is shown once, in this response.",
      examples: { body: { Name: "Aunt May", Until: 0 } },
      body: GuestPassRequest,
      response: GuestPass,
      errors: [409, 412, 502],
    }, (call) => {
      const generated = generatePsk(random);
      return call.decide({
        kind: "wifi.guests.pass",
        summary: `Made a Wi-Fi password for the guest ${call.body.Name}`,
        reduce: (config) => {
          const identity = freePending(config.devices);
          const [next, { Until }] = makePass(config, call.body, {
            identity,
            generated,
            now: now(),
          });
          const { Name } = call.body;
          return [next, { Identity: identity, Name, Password: generated, Until }];
        },
      }, (result) => result);
    }),
  ];
}
