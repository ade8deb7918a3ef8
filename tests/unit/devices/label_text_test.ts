import assert from "node:assert/strict";
import fc from "fast-check";
import { withoutDirectionMarks } from "../../../system/core/engine/files/stored_text.ts";
import { hasControl, line } from "../../../system/core/net/grammar.ts";
import { skeleton } from "../../../system/core/net/look_alike.ts";
import { devicesDocument } from "../../../system/devices/document.ts";
import { readDevices } from "../../../system/devices/read.ts";
import { Label } from "../../../system/devices/schema.ts";
import { DeviceUpdate } from "../../../system/devices/wire.ts";
import { OverrideListName, PlainIp } from "../../../system/dns/block/schema.ts";
import { PrivateHost } from "../../../system/dns/log/schema.ts";
import { SiteName } from "../../../system/wireguard/schema.ts";

const NAMES = { device: line(250), list: OverrideListName, site: SiteName, label: Label };

Deno.test("labels that look alike are one label, and none has direction marks", () => {
  assert.equal(Label.parse("Ｋｉｄｓ"), "kids");
  assert.equal(Label.parse("cafe\u0301"), Label.parse("caf\u00e9"));
  assert.equal(Label.parse("ki\u200bds\u2060\ufeff"), "kids", "characters that are not drawn");
  assert.equal(Label.safeParse("kids\u202e").success, false);
  assert.equal(Label.safeParse("\u2066kids").success, false);
  assert.equal(Label.safeParse("ｗａｎ").success, false, "the name of a policy");
});

Deno.test("names of devices, lists and sites have one form, without control characters and direction marks", () => {
  for (const [kind, schema] of Object.entries(NAMES)) {
    assert.equal(schema.parse(" cafe\u0301 ５ "), "caf\u00e9 5", kind);
    for (
      const bad of ["a\nb", "a\u0000b", "a\u202eb", "a\u200fb", "a\u2069b", "a\u2028b", "\ud800"]
    ) {
      assert.equal(schema.safeParse(bad).success, false, `${kind} ${JSON.stringify(bad)}`);
    }
  }
  assert.equal(
    line(250).parse("👩\u200d🚀 ❤\ufe0f"),
    "👩\u200d🚀 ❤\ufe0f",
    "emoji stay what they are",
  );
  assert.equal(line(250).parse("لوحة"), "لوحة");
});

Deno.test("a name that is refused is refused with its place", () => {
  const { error } = DeviceUpdate.safeParse({
    Name: "gnp\u202e.exe",
    DeviceTags: ["ok", "a\u2066"],
  });
  assert.deepEqual(error?.issues.map(({ path }) => path.join("/")), ["Name", "DeviceTags/1"]);
});

Deno.test("whatever text is taken as a name is in its one form, however it was composed", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 });
  for (const schema of Object.values(NAMES)) {
    fc.assert(fc.property(text, (sent) => {
      const taken = schema.safeParse(sent);
      if (!taken.success) return;
      const name = taken.data;
      assert.equal(hasControl(name), false);
      assert.equal(name, name.normalize("NFKC").trim());
      assert.equal(schema.parse(name), name, "taken again it is the same");
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) {
        const other = schema.safeParse(sent.normalize(form));
        if (other.success) assert.equal(skeleton(other.data), skeleton(name));
      }
    }));
  }
});

Deno.test("texts that are drawn alike have one skeleton, and others do not", () => {
  const latin = skeleton("Kids TV");
  // Cyrillic К, і, Т; Greek Κ; full width; characters that are not drawn.
  for (
    const other of [
      "Kіds TV",
      "КIDS ТV",
      "Κids tv",
      "Ｋｉｄｓ　ＴＶ",
      "Kids\u200b TV",
      "kids\u200d tv",
    ]
  ) {
    assert.equal(skeleton(other), latin, JSON.stringify(other));
  }
  assert.equal(skeleton("раураl"), "paypal");
  for (const other of ["kids tv 2", "kïds tv", "kid's tv", "дети"]) {
    assert.notEqual(skeleton(other), latin);
  }
  for (let code = 0; code < 0x20000; code++) {
    const letter = String.fromCodePoint(code);
    if (!letter.isWellFormed()) continue;
    const shape = skeleton(letter);
    if (skeleton(shape) !== shape) assert.fail(`U+${code.toString(16)}: ${shape} looks otherwise`);
  }
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    assert.equal(skeleton(skeleton(text)), skeleton(text));
  }));
});

Deno.test("a client written as an IPv4-mapped address is the client with the IPv4 address", () => {
  for (const schema of [PlainIp, PrivateHost]) {
    assert.equal(schema.parse("::ffff:192.168.2.10"), "192.168.2.10");
    assert.equal(schema.parse("::FFFF:c0a8:20a"), "192.168.2.10");
    assert.equal(schema.parse("fd00::1"), "fd00::1");
  }
});

Deno.test("a stored device loses the direction marks of its name and labels, and keeps its password", () => {
  const mac = "02:00:00:00:00:0a";
  const stored = {
    [mac]: {
      MAC: mac,
      Name: "\u202egnp",
      DeviceTags: ["kids\u202e"],
      PSKEntry: { Type: "sae", Psk: "correct horse" },
    },
  };
  const { value, rejected } = readDevices(withoutDirectionMarks(stored, devicesDocument));
  assert.deepEqual(rejected, []);
  assert.deepEqual([value[mac]?.Name, value[mac]?.DeviceTags], ["gnp", ["kids"]]);
  const bytes = {
    Password: "a\u202eb",
    SSID: "a\u202eb",
    nested: [{ Ssid: "\u200f", ssid: "\u200f", Secret: "\u200f" }],
  };
  assert.equal(withoutDirectionMarks(bytes), bytes, "secrets and Wi-Fi names are bytes");
});
