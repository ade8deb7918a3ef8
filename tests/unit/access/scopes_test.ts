import assert from "node:assert/strict";
import fc from "fast-check";
import { allows, checkScopes, parseScope } from "../../../system/access/tokens/scopes.ts";

const METHODS = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "TRACE"];
const TABLE: readonly [string[], string, string, boolean][] = [
  [[], "DELETE", "/anything", true],
  [["/"], "PUT", "/devices", true],
  [["/:r"], "GET", "/devices", true],
  [["/:r"], "PUT", "/devices", false],
  [["/devices"], "PUT", "/devices", true],
  [["/devices/"], "PUT", "/devices", true],
  [["/device"], "GET", "/devices", false],
  [["/device"], "GET", "/device/x", true],
  [["/plugins"], "GET", "/plugins_api", false],
  [["/plugins"], "GET", "/plugins/x/y", true],
  [["/devices:r"], "HEAD", "/devices", true],
  [["/devices:r"], "PUT", "/devices", false],
  [["/devices:rw"], "HEAD", "/devices", true],
  [["/devices:r", "/devices:rw"], "PUT", "/devices", true],
  [["/devices:rw", "/devices:r"], "PUT", "/devices", true],
  [["/firewall:r", "/firewall/forward:rw"], "PUT", "/firewall/forward", true],
  [["/firewall:r", "/firewall/forward:rw"], "PUT", "/firewall/block", false],
  [["/Devices"], "GET", "/devices", false],
  [[""], "GET", "/devices", false],
  [["/devices:w"], "PUT", "/devices", false],
  [["/devices:"], "GET", "/devices", false],
  [["/devices:any"], "GET", "/devices", false],
  [["devices"], "GET", "/devices", false],
  [["/devices"], "GET", "/devices/../tokens", true],
];

Deno.test("scopes allow exactly the paths of the table", () => {
  for (const [scopes, method, path, expected] of TABLE) {
    assert.equal(allows(scopes, method, path), expected, `${scopes} ${method} ${path}`);
  }
});

const segment = fc.constantFrom("a", "b", "devices", "device", "x.y", "_");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) =>
  "/" + parts.join("/")
);
const entry = fc.tuple(path, fc.constantFrom("", ":r", ":rw")).map((parts) => parts.join(""));

Deno.test("adding a scope entry never revokes access, whatever the order", () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1 }),
      entry,
      path,
      fc.constantFrom(...METHODS),
      (scopes, more, at, method) => {
        if (!allows(scopes, method, at)) return;
        assert.ok(allows([...scopes, more], method, at));
        assert.ok(allows([more, ...scopes], method, at));
      },
    ),
  );
});

Deno.test("scopes match path prefixes at segment boundaries", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), path, (scopes, at) => {
      const covered = scopes.some((scope) => {
        const prefix = parseScope(scope)!.path;
        return at === prefix || at.startsWith(`${prefix}/`);
      });
      assert.equal(allows(scopes, "GET", at), covered);
    }),
  );
});

Deno.test("an ambiguous scope is refused when a token is created", () => {
  const bad = ["", "devices", "/a:w", "/a:", "/a:rw:r", "/a b", "/a?x=1", "/a#b", "/../a", "/a//b"];
  for (const scope of [...bad, "/a/./b", "/a%2fb", "\\a", "/a\n", "/" + "x".repeat(300)]) {
    assert.throws(() => checkScopes(["/fine", scope]), { status: 400 }, scope);
  }
  checkScopes(["/", "/:r", "/devices", "/devices/:rw", "/plugins/dns/block:r"]);
});

Deno.test("checkScopes() names the invalid entries", () => {
  assert.throws(
    () => checkScopes(["/a", "", "/b:x"]),
    (error: { errors: { pointer: string }[] }) => {
      assert.deepEqual(error.errors.map(({ pointer }) => pointer), [
        "/ScopedPaths/1",
        "/ScopedPaths/2",
      ]);
      return true;
    },
  );
});
