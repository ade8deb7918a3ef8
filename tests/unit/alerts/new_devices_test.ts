import assert from "node:assert/strict";
import { NEW_DEVICE, watchNewDevices } from "../../../system/alerts/new_devices.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { appearedDevice } from "../../../system/devices/device.ts";
import { Notices } from "../../../system/notices/board.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";
import { inFolder } from "../../kit/process.ts";

const DAY = 24 * 3600_000;
const NOW = 1_800_000_000_000;

Deno.test("a start opens and closes the notices of new devices that a crash prevented", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const bus = new Bus();
    const now = () => NOW;
    const notices = new Notices({ db, bus, now });
    const [missed, dismissed, listed, old, decided] = [1, 2, 3, 4, 5].map(mac) as [
      ...[string, string, string, string, string],
    ];
    const gone = mac(6);
    for (const subject of [dismissed, listed, decided, gone]) {
      await notices.open(NEW_DEVICE, "It is new", { subject });
    }
    const { items } = await notices.list({ limit: 9 });
    const { id } = items.find(({ data }) => data.subject === dismissed)!;
    await notices.resolve(id, "admin");
    const waiting = [missed, dismissed, listed, old];
    const engine = new PlainEngine(configWith({
      devices: {
        ...Object.fromEntries(waiting.map((one) => [one, appearedDevice(one, "")])),
        [decided]: device(decided, { Policies: ["wan", "dns"] }),
      },
    }));
    const seen = (firstSeen: number) => ({ firstSeen, lastSeen: NOW, link: "lan0", online: true });
    engine.observed = {
      devices: {
        ...Object.fromEntries([missed, dismissed, listed].map((one) => [one, seen(NOW - DAY)])),
        // Its notice was closed so long ago that it is kept no longer.
        [old]: seen(NOW - 91 * DAY),
      },
    };
    const failed = (error: unknown) => assert.fail(String(error));
    const stop = watchNewDevices({ engine, bus, notices, now, failed });
    await eventually("one is opened, and two are closed", async () => {
      const { items } = await notices.list({ limit: 9 });
      assert.deepEqual(
        items.map(({ data, count }) => [data.subject, count]).toSorted(),
        [[missed, 1], [listed, 1]],
      );
    });
    stop();
    close();
  }));
