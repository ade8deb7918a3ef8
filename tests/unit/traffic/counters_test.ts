import assert from "node:assert/strict";
import fc from "fast-check";
import { TrafficCounters } from "../../../system/traffic/counters/traffic_counters.ts";
import { VarintReader, VarintWriter } from "../../../system/core/data/varint.ts";
import type { AddressCount } from "../../../system/core/kernel/host.ts";
import { readCounters } from "../../../system/host/nft/counters.ts";
import { growth } from "../../../system/traffic/counters/growth.ts";
import { MAX_MINUTES, TrafficMinutes } from "../../../system/traffic/counters/minutes.ts";
import { type FourBytes, TrafficTotals } from "../../../system/traffic/counters/totals.ts";

Deno.test("numbers of up to 53 bits are written and read back", () => {
  fc.assert(fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
    const writer = new VarintWriter();
    numbers.forEach((number) => writer.put(number));
    const reader = new VarintReader(writer.bytes());
    assert.deepEqual(numbers.map(() => reader.next()), numbers);
    assert.ok(reader.isDone);
  }));
  assert.throws(() => new VarintWriter().put(-1), RangeError);
  assert.throws(() => new VarintWriter().put(0.5), RangeError);
  assert.throws(() => new VarintReader(new Uint8Array([0x80])).next(), RangeError);
});

Deno.test("counters are read from what nft lists, with whatever else an element has", () => {
  const text = `table ip accounting {
	comment "sluice"
	set uplink_interfaces {
		type ifname
		elements = { "wan0" }
	}

	set incoming_traffic_lan {
		type ipv4_addr
		size 65535
		flags dynamic,timeout
		timeout 1d
	}

	set outgoing_traffic_wan {
		type ipv4_addr
		size 65535
		flags dynamic,timeout
		timeout 1d
		elements = { 192.168.2.6 counter packets 4 bytes 336 expires 23h59m59s804ms,
			     192.168.2.10 counter packets 9007199254740991 bytes 9007199254740991 }
	}

	chain FORWARD {
		type filter hook forward priority filter + 10; policy accept;
		ip saddr 10.0.0.1 counter packets 7 bytes 7 update @outgoing_traffic_wan { ip saddr counter }
	}
}
`;
  assert.deepEqual(readCounters(text), {
    uplink_interfaces: [],
    incoming_traffic_lan: [],
    outgoing_traffic_wan: [
      ["192.168.2.6", 4, 336],
      ["192.168.2.10", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ],
  });
  assert.deepEqual(readCounters(""), {});
});

const SET = "outgoing_traffic_wan";
/** What a device sends, and between two of it whether the kernel's counter is looked at or begins anew. */
const steps = fc.array(fc.oneof(
  fc.record({ send: fc.nat(5000) }),
  fc.constant("look" as const),
  fc.constant("anew" as const),
));

Deno.test("totals are what was sent but for what a reset took unseen, and never fall", () => {
  fc.assert(fc.property(steps, (list) => {
    const totals = new TrafficTotals();
    let kernel = { packets: 0, bytes: 0 }, unseen = 0, seen = 0, last = 0;
    const look = () => {
      const counts: AddressCount[] = kernel.packets === 0
        ? []
        : [["192.168.2.6", kernel.packets, kernel.bytes]];
      totals.take({ counters: { [SET]: counts } });
      const now = totals.entries(SET)[0]?.Bytes ?? 0;
      assert.ok(now >= last);
      last = now;
    };
    for (const step of list) {
      if (step === "look") {
        look();
        seen += unseen;
        unseen = 0;
        assert.equal(last, seen);
      } else if (step === "anew") {
        // A look right before, so that a counter that has passed its old value is known as new.
        look();
        seen += unseen;
        unseen = 0;
        kernel = { packets: 0, bytes: 0 };
        look();
      } else {
        kernel = { packets: kernel.packets + 1, bytes: kernel.bytes + step.send };
        unseen += step.send;
      }
    }
  }));
});

Deno.test("a counter that holds less than before never gives less than nothing, or more than it holds", () => {
  const count = fc.record({ packets: fc.nat(), bytes: fc.maxSafeNat() });
  fc.assert(fc.property(fc.option(count, { nil: undefined }), count, (before, now) => {
    const grown = growth(before, now);
    assert.ok(grown.packets >= 0 && grown.packets <= now.packets);
    assert.ok(grown.bytes >= 0 && grown.bytes <= now.bytes);
  }));
  assert.deepEqual(growth({ packets: 9, bytes: 900 }, { packets: 2, bytes: 80 }), {
    packets: 2,
    bytes: 80,
  });
});

Deno.test("an address that moves to another device, or leaves, keeps what it counted", () => {
  const totals = new TrafficTotals();
  totals.take({ counters: { [SET]: [["192.168.2.6", 3, 300]] } });
  totals.take({ counters: {} });
  totals.take({ counters: { [SET]: [["192.168.2.10", 1, 50], ["192.168.2.6", 1, 20]] } });
  assert.deepEqual(totals.entries(SET), [
    { IP: "192.168.2.6", Packets: 4, Bytes: 320 },
    { IP: "192.168.2.10", Packets: 1, Bytes: 50 },
  ]);
});

Deno.test("minutes give back the bytes at the end of each, newest first", () => {
  const grow = fc.dictionary(
    fc.constantFrom("192.168.2.6", "192.168.2.10", "192.168.2.14"),
    fc.tuple(fc.nat(9), fc.nat(2 ** 30), fc.maxSafeNat().map((n) => n % 2 ** 40), fc.nat(1)),
  );
  fc.assert(fc.property(fc.array(grow, { maxLength: 30 }), fc.nat(40), (minutes, count) => {
    const history = new TrafficMinutes();
    const states: Map<string, FourBytes>[] = [];
    let bytes = new Map<string, FourBytes>();
    for (const grown of minutes) {
      bytes = new Map(bytes);
      for (const [address, more] of Object.entries(grown)) {
        const before = bytes.get(address) ?? [0, 0, 0, 0];
        bytes.set(
          address,
          before.map((value, at) => value + more[at]!) as unknown as FourBytes,
        );
      }
      history.end(bytes);
      states.unshift(bytes);
    }
    const found = [...history.snapshots(count)];
    assert.equal(found.length, Math.min(count, minutes.length));
    for (const address of [null, ...states.flatMap((state) => [...state.keys()])]) {
      const grown = [...history.grown(count, address)];
      assert.equal(grown.length, found.length);
      const sum = (state: ReadonlyMap<string, FourBytes> | undefined, part: number): number =>
        [...state ?? []].filter(([one]) => address === null || one === address)
          .reduce((all, [, bytes]) => all + bytes[part]!, 0);
      grown.forEach((four, at) =>
        four.forEach((value, part) =>
          assert.equal(value, sum(states[at], part) - sum(states[at + 1], part))
        )
      );
    }
    found.forEach((snapshot, at) => {
      for (const [address, now] of snapshot) {
        assert.deepEqual(now, states[at]!.get(address) ?? [0, 0, 0, 0]);
      }
    });
  }));
});

Deno.test("an address without traffic for a day is forgotten, and may come back", () => {
  const history = new TrafficMinutes();
  const idle = new Map<string, FourBytes>([["192.168.2.6", [1, 1, 1, 1]]]);
  assert.deepEqual(history.end(idle), []);
  const forgotten = Array.from({ length: MAX_MINUTES }, () => history.end(idle)).flat();
  assert.deepEqual(forgotten, ["192.168.2.6"]);
  history.end(new Map());
  history.end(new Map([["192.168.2.6", [5, 5, 5, 5]]]));
  assert.deepEqual([...history.snapshots(1)][0]?.get("192.168.2.6"), [5, 5, 5, 5]);
  assert.equal([...history.snapshots(Infinity)].length, MAX_MINUTES);
});

Deno.test("minutes in which the kernel could not be read are there without traffic", async () => {
  let steady = 0, bytes = 0, isAway = false;
  const counters = new TrafficCounters({
    host: () => ({
      traffic: () =>
        isAway ? Promise.reject(new Error("netd is away")) : Promise.resolve({
          counters: { incoming_traffic_wan: [["192.168.2.6", bytes, bytes]] },
          flows: null,
        }),
    }),
    steady: () => steady,
    failed: () => {},
    flows: { acknowledged: () => Promise.resolve(undefined), take: () => Promise.resolve() },
    live: false,
  });
  const after = async (seconds: number, more: number) => {
    steady += seconds * 1000;
    bytes += more;
    await counters.tick();
  };
  await after(60, 1);
  await after(60, 20);
  isAway = true;
  for (let minute = 0; minute < 3; minute++) await assert.rejects(after(60, 100));
  isAway = false;
  await after(10, 0);
  const minutes = () => counters.rates(1440, null).minutes.map(({ WanIn }) => WanIn);
  assert.deepEqual(minutes(), [1, 20, 0, 0, 300]);
  // As after a machine that slept.
  await after(50 + 120, 7);
  assert.deepEqual(minutes(), [1, 20, 0, 0, 300, 0, 0, 7]);
  assert.equal(counters.rates(1440, null).endedAgo, 0);
  await after(3 * 86_400, 5);
  assert.deepEqual([minutes().length, minutes().at(-1), minutes()[0]], [1440, 5, 0]);
  await counters.close();
});
