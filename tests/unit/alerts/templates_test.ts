import assert from "node:assert/strict";
import { rendered } from "../../../system/alerts/templates.ts";
import { blankDevice } from "../../../system/devices/device.ts";

const MAC = "02:00:00:00:0a:01";
const DEVICES = { [MAC]: { ...blankDevice(MAC), Name: "tablet", RecentIP: "192.168.2.6" } };
const EVENT = {
  MAC,
  IP: { SrcIP: "192.168.2.6", list: [1, 2] },
  text: "two\r\nlines\u2028three",
  __proto: "hidden",
  nothing: null,
};

for (
  const [template, text] of [
    ["plain", "plain"],
    ["{{MAC}}", MAC],
    ["{{ IP.SrcIP }} {{IP.list.1}}", "192.168.2.6 2"],
    ["{{IP.SrcIP#Device}}: {{MAC#DeviceIP}}", "tablet: 192.168.2.6"],
    ["{{IP.SrcIP#DeviceMAC}} {{MAC#Disabled}}", `${MAC} false`],
    ["{{MAC#Unknown}}", MAC],
    ["{{text#Device}}", "two lines three"],
    ["a{{missing}}b{{IP.missing.more}}c{{nothing}}d", "abcd"],
    ["{{__proto}}{{constructor.name}}{{toString}}", ""],
    ["{{IP}}", '{"SrcIP":"192.168.2.6","list":[1,2]}'],
    ["{{text}}", "two lines three"],
    ["{{unclosed", "{{unclosed"],
    ["{{{MAC}}}", `{${MAC}}`],
  ] as const
) {
  Deno.test(`template: ${template}`, () => {
    assert.equal(rendered(template, EVENT, DEVICES), text);
  });
}

Deno.test("a template for an event that is none is left without", () => {
  for (const event of [null, 1, "text"]) assert.equal(rendered("a{{b}}", event, {}), "a");
  assert.ok(rendered("{{text}}", { text: "x".repeat(10_000) }, {}).length <= 2000);
});
