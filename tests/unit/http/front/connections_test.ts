import assert from "node:assert/strict";
import fc from "fast-check";
import { Connections } from "../../../../routes/http/front/connections.ts";

/** Connections with a list of those that are open. */
function counted(perSource: number, total: number) {
  const connections = new Connections<{ requests: number; end(): void }>({ perSource, total });
  const open: { source: string; requests: number; end(): void }[] = [];
  return {
    open,
    arrive(source: string, requests = 0): boolean {
      if (!connections.admits(source)) return false;
      const connection = {
        source,
        requests,
        end() {
          open.splice(open.indexOf(connection), 1);
          connections.remove(source, connection);
        },
      };
      open.push(connection);
      connections.add(source, connection);
      return true;
    },
  };
}

Deno.test("connections: neither one source nor all together exceed their limit", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(1))),
    (arrivals) => {
      const { open, arrive } = counted(3, 5);
      for (const [source, requests] of arrivals) arrive(source, requests);
      assert.ok(open.length <= 5);
      for (const source of "abcd") {
        assert.ok(open.filter((one) => one.source === source).length <= 3);
      }
    },
  ));
});

Deno.test("connections: idle ones of many sources keep no new source out, running requests are kept", () => {
  const { open, arrive } = counted(4, 8);
  arrive("busy", 1);
  for (let source = 0; source < 20; source++) {
    for (let count = 0; count < 4; count++) arrive(`10.0.0.${source}`);
  }
  assert.equal(open.length, 8);
  assert.ok(arrive("new"));
  assert.equal(open.filter(({ source }) => source === "busy").length, 1);
  assert.equal(open.filter(({ source }) => source === "new").length, 1);
});
