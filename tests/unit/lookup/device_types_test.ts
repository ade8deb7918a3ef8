import assert from "node:assert/strict";
import {
  classify,
  type DeviceSignals,
  modelOf,
  suggestionOf,
} from "../../../system/lookup/device_type_rules.ts";

function typeOf(signals: Partial<DeviceSignals>) {
  return classify({
    mac: "02:00:00:00:0a:01",
    vendor: "",
    randomized: false,
    name: "",
    services: [],
    ...signals,
  });
}

Deno.test("vendor, name and services suggest a type, and one that is sure an icon", () => {
  const printer = typeOf({ vendor: "Brother Industries", services: ["_ipp._tcp.local"] });
  assert.deepEqual([printer.Category, printer.Confidence, printer.Icon], [
    "printer",
    "High",
    "printer",
  ]);
  const phone = typeOf({ name: "Anna's iPhone", randomized: true });
  assert.deepEqual([phone.Category, phone.Confidence, phone.RandomMAC], ["phone", "Medium", true]);
  const plug = typeOf({ vendor: "Espressif Inc.", name: "shelly-plug" });
  assert.deepEqual([plug.Category, plug.Icon], ["iot-sensor", "sensor"]);
});

Deno.test("nothing is unknown, a randomized address alone says little, and a tie chooses no icon", () => {
  assert.deepEqual([typeOf({}).Category, typeOf({}).Confidence, typeOf({}).Icon], [
    "unknown",
    "Unknown",
    "",
  ]);
  const random = typeOf({ randomized: true });
  assert.deepEqual([random.Category, random.Confidence], ["phone", "Low"]);
  assert.equal(typeOf({ name: "printer camera" }).Icon, "");
});

Deno.test("long texts from the network are cut", () => {
  const { Evidence } = typeOf({ name: `iphone${"x".repeat(10_000)}` });
  assert.ok(Evidence.every((text) => text.length < 200));
});

Deno.test("groups and policies are suggested for a type that is sure enough", () => {
  const suggested = (Category: "camera" | "phone", Confidence: "High" | "Low") =>
    suggestionOf({ Category, Confidence }).SuggestedGroups;
  assert.deepEqual(suggested("camera", "High"), ["IoT"]);
  assert.deepEqual(suggested("camera", "Low"), []);
  assert.deepEqual(suggested("phone", "High"), []);
});

Deno.test("a model is what the best key of a TXT record says, in any case, and is cut", () => {
  assert.equal(modelOf({ usb_MDL: "USB", ty: "Laser 5", md: "" }), "Laser 5");
  assert.equal(modelOf({ USB_MDL: "USB" }), "USB");
  assert.equal(modelOf({ note: "x" }), "");
  assert.equal(modelOf({ model: "x".repeat(1000) }).length, 128);
});
