import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { csvText, parseCsv } from "../../../ui/text/csv.ts";
import { devicesCsv } from "../../../ui/pages/devices/import/export.ts";
import { identityOf, mergedDevices, readRows } from "../../../ui/pages/devices/import/rows.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { sampleHome, sampleId, uiDevice } from "../../kit/builders/ui_samples.ts";

const home = sampleHome(Date.parse("2026-03-01T12:00:00Z"));

Deno.test("CSV cells are read back as written, whatever they hold", () => {
  const cell = fc.string({ unit: "grapheme" });
  fc.assert(fc.property(
    fc.array(fc.tuple(cell, cell, fc.constant("end")), { minLength: 1 }),
    (rows) => assert.deepEqual(parseCsv(csvText(rows)), rows),
  ));
});

Deno.test("no CSV cell is a formula to a spreadsheet", () => {
  const text = csvText([["=1+1", "@x", "'=1", "plain"]]);
  assert.equal(text, "'=1+1,'@x,''=1,plain\r\n");
  assert.deepEqual(parseCsv(text), [["=1+1", "@x", "'=1", "plain"]]);
});

Deno.test("CSV with semicolons, a byte order mark or blank lines is read", () => {
  assert.deepEqual(parseCsv('\ufeffIdentity;Name\r\n\r\na;"b;""c"""\n'), [
    ["Identity", "Name"],
    ["a", 'b;"c"'],
  ]);
});

Deno.test("an export that is read back changes nothing", () => {
  const { rows, fault } = readRows(parseCsv(devicesCsv(home)), home);
  assert.equal(fault, null);
  assert.equal(rows.length, Object.keys(home).length);
  for (const row of rows) assert.deepEqual([row.state, row.faults], ["same", []], row.name);
  assert.doesNotMatch(
    devicesCsv({ a: uiDevice({ PSKEntry: { Type: "sae", Psk: "secret!!" } }) }),
    /secret/,
  );
});

Deno.test("each line of an import is validated as the forms are", () => {
  const file = [
    "Identity,Name,Policies,Groups,IP address,Blocked,Expires",
    "nonsense,a,wan,,,,",
    "02:00:5e:00:53:01,b,fly,,,,",
    "02-00-5E-00-53-01,c,,,,,",
    "02:00:5e:00:53:02,d,,wan,,,",
    "02:00:5e:00:53:03,e,,,1.2.3.456,perhaps,soon",
    "02:00:5e:00:53:04,f,wan;dns,kids; family,,no,never",
  ].join("\n");
  const { rows } = readRows(parseCsv(file), home);
  assert.deepEqual(rows.map(({ faults }) => faults.length), [1, 1, 1, 1, 3, 0]);
  assert.match(rows[0]?.faults[0] ?? "", /not a MAC address/);
  assert.match(rows[1]?.faults[0] ?? "", /“fly” is unknown/);
  assert.match(rows[2]?.faults[0] ?? "", /Same device as line 3/);
  assert.match(rows[3]?.faults[0] ?? "", /is a policy name/);
  assert.equal(rows[5]?.state, "new");
  assert.match(readRows([["Name"], ["x"]], home).fault ?? "", /Column “Identity” is missing/);
  assert.equal(identityOf("0200.5E00.5301"), "02:00:5e:00:53:01");
  assert.equal(identityOf("ff:ff:ff:ff:ff:ff"), null);
});

Deno.test("an import reads the headings of earlier exports as today's", () => {
  const file = (address: string, deletes: string) =>
    readRows(
      parseCsv(`Identity,${address},${deletes}\n${sampleId(1)},192.168.2.42,yes\n`),
      home,
    );
  const earlier = file("Address", "Deleted then");
  assert.deepEqual(earlier, file("IP address", "Delete on expiry"));
  assert.deepEqual(earlier.unknown, []);
  assert.deepEqual(earlier.rows[0]?.differs, ["IP address", "Delete on expiry"]);
});

Deno.test("an import keeps devices and fields that it does not contain", () => {
  const id = sampleId(1);
  const { rows } = readRows(parseCsv(`Identity,Name,Blocked\n${id},Other name,yes\n`), home);
  assert.deepEqual(rows[0]?.differs, ["Name", "Blocked"]);
  const merged = mergedDevices(rows, home) as typeof home;
  assert.deepEqual(merged[sampleId(2)], home[sampleId(2)]);
  assert.deepEqual(merged[id]?.Groups, ["kids"]);
  assert.ok(merged[id]?.DeviceDisabled && merged[id].Policies.includes("disabled"));
});

Deno.test("an import is shown line by line, errors first, and stored as one change or not at all", async () => {
  await onRouter({ files: manyDevices(6) }, async ({ open, router }) => {
    const page = await open({ path: "/admin/devices/import" });
    await page.getByText("Live").waitFor();
    const before = router.engine.config.devices;
    const file = (text: string) =>
      page.getByLabel("CSV file").setInputFiles({
        name: "devices.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(text),
      });
    await page.evaluate(() => {
      const { text } = Blob.prototype;
      Blob.prototype.text = () => {
        Blob.prototype.text = text;
        return Promise.reject(new Error("It is gone"));
      };
    });
    await file("Identity,Name\n");
    await page.getByText("The browser cannot read this file").waitFor();
    const lines = [
      "Identity,Name,Groups,IP address,Colour",
      `${mac(1)},Renamed by file,"kids; media",,red`,
      "02:00:5e:00:53:77,<img src=x onerror=alert(1)>,kids,,",
      "02:00:5e:00:53:78,Too far,,10.0.0.1,",
      "not-a-mac,Odd,,,",
    ];
    await file(lines.join("\n"));
    await page.getByText("“not-a-mac” is not a MAC address or VPN key").waitFor();
    await page.getByText("Ignored columns:").waitFor();
    assert.ok(await page.getByRole("button", { name: "Preview import" }).isDisabled());
    await assertAccessible(page);
    await picture(page, "import-desk-light");
    await page.getByLabel("Skip 1 line with errors").check();
    await page.getByRole("button", { name: "Preview import" }).click();
    await page.getByText("is not the device address of a /30").waitFor();
    assert.equal(router.engine.config.devices, before, "nothing is half done");
    await page.getByLabel("Skip 2 lines with errors").check();
    await page.getByRole("button", { name: "Preview import" }).click();
    await page.getByText("from the file are saved as one change.").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Import 2 devices" }).click();
    await page.getByRole("heading", { name: "Devices", level: 1, exact: true }).waitFor();
    const after = router.engine.config.devices;
    assert.equal(after[mac(1)]?.Name, "Renamed by file");
    assert.deepEqual(after[mac(1)]?.Groups.toSorted(), ["kids", "media"]);
    assert.deepEqual(after[mac(1)]?.Policies, before[mac(1)]?.Policies);
    assert.equal(after["02:00:5e:00:53:77"]?.Name, "<img src=x onerror=alert(1)>");
    assert.equal(after["02:00:5e:00:53:78"], undefined);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    assert.match((await download).suggestedFilename(), /^devices-.*\.csv$/);
  });
});

Deno.test("an import fits a phone", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/devices/import", size: PHONE, dark: true });
    await page.getByLabel("CSV file").setInputFiles({
      name: "devices.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(`Identity,Name\n${mac(1)},${"A".repeat(250)}\nx,y`),
    });
    await page.getByText("“x” is not a MAC address").waitFor();
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "import-phone-dark");
  });
});
