import * as z from "zod";
import { devicesTextSteps } from "../../system/devices/answer.ts";
import { inTurns } from "../../system/core/time/slices.ts";
import { approvalSummary, approveDevices } from "../../system/devices/bulk/approve.ts";
import { bulkAdd } from "../../system/devices/bulk/add.ts";
import { deleteDevices } from "../../system/devices/delete.ts";
import { pendingIdentities } from "../../system/devices/pending.ts";
import { isParent, takeParentMap } from "../../system/mesh/parent_map.ts";
import { syncDevices, syncedPasswords } from "../../system/devices/sync.ts";
import { syncSummary } from "../../system/devices/summary.ts";
import {
  Approval,
  BulkAdd,
  BulkAddResult,
  BulkDelete,
  BulkDeleteResult,
  DeviceAnswer,
  DeviceSync,
} from "../../system/devices/wire.ts";
import { empty, jsonText } from "../http/answer.ts";
import { flag } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";
import type { DevicesDeps } from "./deps.ts";

const SYNC_LIMIT = 8 << 20;

/** All devices at once, and what concerns their passwords. */
export function deviceListRoutes({ engine, bus, now, mesh }: DevicesDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/devices",
      compresses: true,
      summary: "All devices, passwords masked",
      description:
        "Returns every device by its identity: a MAC address, a WireGuard public key, or `pending` " +
        "for a device that has yet to join. Wi-Fi passwords read `**`.",
      tag: "Devices",
      access: "auth",
      duringSetup: true,
      document: "devices",
      response: z.record(z.string(), DeviceAnswer),
    }, async () =>
      jsonText(
        await inTurns(devicesTextSteps(engine.config.devices, engine.observed.devices)),
      )),
    route({
      method: "PUT",
      path: "/devices",
      summary: "Replace all devices",
      description:
        "Replaces the whole device list, as mesh nodes do to synchronise; devices that are missing " +
        "from the body are deleted. A list that lacks more than half of today's devices is refused " +
        "with 409 unless forced. A password of `**` keeps the stored one. In leaf mode the list of the " +
        "parent is taken as it is, unless it is empty or has another number of devices than `count`.",
      tag: "Devices",
      access: "auth",
      document: "devices",
      query: z.object({
        count: z.coerce.number().int().min(0).optional().describe("Devices that the sender has"),
      }),
      body: DeviceSync,
      maxBody: SYNC_LIMIT,
      errors: [409, 412],
    }, (call) => {
      const { body, query, c } = call;
      const force = flag(c, "force");
      if (isParent(engine.config, call.caller.by)) {
        return call.decide({
          kind: "mesh.sync",
          // Without secrets, a list that says the same is no change: it comes again at each start.
          summary: "The parent sent its devices",
          reduce: (config) => takeParentMap(config, body, query.count),
        }, () => {
          mesh?.parentSync.taken(now(), Object.keys(body).length);
          return empty();
        });
      }
      return call.decide({
        kind: "device.sync",
        summary: syncSummary(engine.config, body),
        secrets: () => syncedPasswords(body),
        reduce: (config) => syncDevices(config, body, { force }),
      });
    }),
    route({
      method: "DELETE",
      path: "/devices",
      summary: "Delete several devices",
      description:
        "Deletes all devices that are named as one change. Identities without a device are ignored; " +
        "the response lists the deleted ones.",
      examples: { body: ["02:00:00:00:0a:01"] },
      tag: "Devices",
      access: "auth",
      document: "devices",
      body: BulkDelete,
      response: BulkDeleteResult,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "device.bulk-delete",
        summary: `Deleted ${amount(call.body)}`,
        reduce: (config) => deleteDevices(config, call.body),
      }, (result) => result)),
    route({
      method: "PUT",
      path: "/devices/bulk",
      summary: "Add groups, tags and policies to several devices",
      description:
        "Adds to what the devices already have and removes nothing, as one change. The response " +
        "lists the devices that were updated.",
      tag: "Devices",
      access: "auth",
      document: "devices",
      body: BulkAdd,
      response: BulkAddResult,
      errors: [409, 412],
    }, (call) => {
      const { Identities, Groups = [], Tags = [], Policies = [] } = call.body;
      return call.decide({
        kind: "device.bulk-add",
        summary: `Added ${some([...Groups, ...Tags, ...Policies])} to ${amount(Identities)}`,
        reduce: (config) => bulkAdd(config, call.body),
      }, (result) => result);
    }),
    route({
      method: "PUT",
      path: "/devices/approve",
      summary: "Approve or block devices that wait for a decision",
      description:
        "Gives each device the access of a preset in the place of what it had, without admin access, " +
        "and with it a group, an expiry, and for a single device a name and an icon, as one change. " +
        "The response lists the devices that were updated.",
      tag: "Devices",
      access: "auth",
      document: "devices",
      body: Approval,
      response: BulkAddResult,
      errors: [404, 409, 412],
    }, (call) => {
      const seconds = Math.floor(now() / 1000);
      return call.decide({
        kind: "device.approve",
        summary: approvalSummary(engine.config, call.body),
        reduce: (config) => approveDevices(config, call.body, seconds),
      }, (result) => result);
    }),
    route({
      method: "GET",
      path: "/pendingPSK",
      summary: "Whether a Wi-Fi password is waiting for its device",
      description:
        "True while a device named `pending` has a Wi-Fi password that no station has used yet.",
      tag: "Devices",
      access: "auth",
      duringSetup: true,
      response: z.boolean(),
    }, () => pendingIdentities(engine.config.devices).length > 0),
    route({
      method: "PUT",
      path: "/reloadPSKFiles",
      summary: "Reload the Wi-Fi passwords on the access points",
      description:
        "Publishes the event `wifi:psk:reload`, for access points that are not the router's own. Those " +
        "follow every change by themselves. The configuration does not change.",
      tag: "Devices",
      access: "auth",
    }, () => {
      bus.publish("wifi:psk:reload", {});
    }),
  ];
}

/** A few of many names, for a sentence. */
function some(names: readonly string[]): string {
  const [shown, rest] = [names.slice(0, 5), names.length - 5];
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

function amount(identities: readonly string[]): string {
  const count = new Set(identities).size;
  return count === 1 ? identities[0]! : `${count} devices`;
}
