import { DEVICES, SEARCHED } from "../load/home.ts";
import { mac } from "../../kit/builders/device_config.ts";
import type { Call } from "./calls.ts";
import { LARGE_EVENTS } from "./much_to_tell.ts";

/** Items that one search of the event store gives at most. */
const MOST_ITEMS = 1000;
/** Notices that one list holds at most. */
const MOST_NOTICES = 500;

/**
 * What leaves and enters the router in long lists. `devices`: all that there are, with which the page of
 * the import sends those of its file.
 */
export function transferCalls(devices: Readonly<Record<string, unknown>>): readonly Call[] {
  const imported = Object.fromEntries(
    Array.from({ length: DEVICES }, (_, i) => mac(DEVICES + i)).map((MAC, i) => [MAC, {
      ...{ Name: `imported ${i}`, MAC, Groups: ["group 1"] },
      // Each other one waits for a decision, with a notice of its own.
      Policies: i % 2 === 0 ? ["wan", "dns"] : [],
      DeviceTags: [`floor ${i % 5}`],
    }]),
  );
  const file = { ...devices, ...imported };
  const get = (what: string, path: string): Call => ({ what, method: "GET", path });
  const rule = {
    ...{ Name: "tried", TopicPrefix: LARGE_EVENTS, Actions: [{ StoreAlert: true }] },
    Conditions: Array.from({ length: 10 }, (_, i) => ({ JPath: `$[?(@.n > ${i})]` })),
  };
  return [
    get("export of events, 10,000 small", `/plugins/db/bucket/${SEARCHED}`),
    get("export of events, 5 MB", `/plugins/db/bucket/${LARGE_EVENTS}`),
    get("all buckets of events", "/plugins/db/buckets?full=1"),
    get("search of large events", `/plugins/db/items/${LARGE_EVENTS}?num=${MOST_ITEMS}`),
    get("the latest of 10,000 notices", `/notices?all=true&limit=${MOST_NOTICES}`),
    get("200 rules of alerts", "/alerts"),
    { what: "a rule of alerts is tried", method: "PUT", path: "/alerts/try", body: rule },
    { what: "a rule of alerts is set", method: "PUT", path: "/alerts/3", body: { Name: "set" } },
    {
      ...{ what: "preview: import of 1,000 devices", method: "PUT" },
      ...{ path: "/devices?dryRun=true", body: file },
    },
    { what: "import of 1,000 devices", method: "PUT", path: "/devices", body: file },
  ];
}
