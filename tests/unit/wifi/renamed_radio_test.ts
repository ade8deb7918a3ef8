import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type KnownRadios,
  nameBefore,
  withoutHardware,
  withRadio,
} from "../../../system/wifi/radio/renamed_radio.ts";

const A = "02:00:00:00:20:00", B = "02:00:00:00:21:00", C = "02:00:00:00:22:00";
const BOTH = { wlan0: A, wlan1: B };

Deno.test("a radio that has another's name is recognised by its hardware", () => {
  assert.equal(nameBefore(BOTH, "wlan0", A), null, "it keeps its name");
  assert.equal(nameBefore(BOTH, "wlan0", B), "wlan1", "they changed places");
  assert.equal(nameBefore({ wlan1: B }, "wlan0", B), "wlan1", "the first one is gone");
  assert.equal(nameBefore(BOTH, "wlan0", C), null, "another radio took its place for good");
  assert.equal(nameBefore({}, "wlan0", A), null);
});

Deno.test("no two names have the same hardware, and what was forgotten may be used anywhere", () => {
  const name = fc.constantFrom("wlan0", "wlan1", "wlan2"), mac = fc.constantFrom(A, B, C);
  fc.assert(fc.property(fc.array(fc.tuple(name, mac, fc.boolean())), (steps) => {
    let known: KnownRadios = {};
    for (const [at, hardware, off] of steps) {
      known = off ? withoutHardware(known, hardware) : withRadio(known, at, hardware);
      if (off) assert.equal(nameBefore(known, at, hardware), null);
      else assert.equal(known[at], hardware);
      const all = Object.values(known);
      assert.equal(new Set(all).size, all.length);
    }
  }));
  assert.equal(withRadio(BOTH, "wlan0", A), BOTH, "nothing is written that stands");
});
