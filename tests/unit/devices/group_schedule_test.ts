import assert from "node:assert/strict";
import { closedGroupsAt } from "../../../system/devices/groups/group_schedule.ts";
import type { Group } from "../../../system/devices/groups/group_schema.ts";

const KIDS: Group = {
  Name: "kids",
  Disabled: false,
  GroupTags: [],
  ServiceDestinations: [],
  Policies: ["wan"],
  Schedule: [{ Days: ["mon"], From: "07:00", To: "20:00" }],
};

/** Unix milliseconds of a time of March 2027, whose first day is a Monday; router time zone. */
const march = (day: number, hour: number): number => new Date(2027, 2, day, hour).getTime();

Deno.test("a closed group names the day on which it opens where that is more than a day away", () => {
  const opensAt = (now: number): string | undefined => closedGroupsAt([KIDS], [now])["kids"]?.opens;
  assert.equal(opensAt(march(1, 21)), "Mon 07:00");
  assert.equal(opensAt(march(7, 8)), "07:00");
  assert.equal(opensAt(march(8, 8)), undefined);
  assert.deepEqual(closedGroupsAt([{ ...KIDS, Disabled: true }], [march(1, 21)]), {});
});
