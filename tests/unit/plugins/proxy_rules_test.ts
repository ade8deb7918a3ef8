import assert from "node:assert/strict";
import fc from "fast-check";
import { checkPluginPath } from "../../../routes/http/origin.ts";
import {
  headersFromPlugin,
  headersToPlugin,
  targetBelow,
} from "../../../system/plugins/proxy_headers.ts";
import { isGitUrl, Plugin } from "../../../system/plugins/schema.ts";
import {
  type PathKind,
  socketPathFault,
  socketPlace,
} from "../../../system/plugins/socket_path.ts";
import { isPluginUri, matchPlugin, oneFormOfPath, overlaps } from "../../../system/plugins/uri.ts";

const segment = fc.stringMatching(/^[A-Za-z0-9-]{1,6}$/);
const uri = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));

Deno.test("a request goes to the plugin with the longest address that begins its path", () => {
  fc.assert(fc.property(fc.uniqueArray(uri, { maxLength: 8 }), uri, uri, (uris, base, rest) => {
    const plugins = [...uris, base].map((URI) => ({ URI }));
    const found = matchPlugin(plugins, `/plugins/${base}/${rest}`);
    assert.ok(found !== null && "plugin" in found);
    const { URI } = found.plugin;
    assert.ok(`${base}/${rest}/`.startsWith(`${URI}/`) && URI.length >= base.length);
    assert.equal(`${URI}${found.path}`, `${base}/${rest}`);
    for (const other of plugins) {
      const fits = `${base}/${rest}/`.startsWith(`${other.URI}/`);
      assert.ok(!fits || other.URI.length <= URI.length);
    }
  }));
  const plugins = [{ URI: "a" }, { URI: "" }];
  assert.deepEqual(matchPlugin(plugins, "/plugins/a"), { redirect: "/plugins/a/" });
  for (const path of ["/plugins/", "/plugins/ab/x", "/plugins/%61/x", "/plugin/a/", "/a/", "//"]) {
    assert.equal(matchPlugin(plugins, path), null, path);
  }
});

Deno.test("no path of the wire leaves its prefix: what decodes to a separator or dots is refused", () => {
  const piece = fc.constantFrom(
    ...["%2e", "%2E", ".", "..", "%252e", "/", "%2f", "%2F", "%5c", "\\", ";", "%3b", "%00", "a"],
    ...["%25", "//", "%c0%ae", "%e2", "?", "#", "%2", "b%20c", "%3A", "@", "é"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const url = `http://192.168.2.1/plugins/a/${pieces.join("")}`;
      let path: string;
      try {
        checkPluginPath(url);
        const found = matchPlugin([{ URI: "a" }], url.slice(18).replace(/[?#].*/s, ""));
        if (found === null || !("plugin" in found)) return;
        path = found.path;
      } catch {
        return;
      }
      assert.equal(path[0], "/");
      const { pathname } = new URL(`http://127.0.0.1${path}`);
      assert.equal(pathname, path, "a client sends it as it stands");
      assert.equal(oneFormOfPath(path), path, "it is in its one form");
      for (let text = path, times = 0; times < 3; times++) {
        assert.ok(!text.includes("\\") && !text.includes("\0"));
        const parts = text.split("/");
        assert.ok(!parts.includes("..") && !parts.includes("."), path);
        text = text.replace(
          /%([0-7][0-9a-f])/gi,
          (_, hex) => String.fromCharCode(parseInt(hex, 16)),
        );
        if (/%2f|%5c/i.test(path)) assert.fail(path);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("addresses overlap when one begins the other, segment by segment", () => {
  assert.ok(overlaps("dns", "dns/block") && overlaps("dns/block", "dns") && overlaps("a", "a"));
  assert.ok(!overlaps("dns", "dnsx") && !overlaps("a/b", "a/c"));
  for (const bad of ["", "/a", "a/", "a//b", "..", "a/..", "%2e", "a b", "a;b", "ä"]) {
    assert.ok(!isPluginUri(bad), bad);
  }
});

Deno.test("a plugin gets no credentials, no connection headers, and who calls as the router says", () => {
  const name = fc.constantFrom(
    ...["authorization", "Cookie", "x-jwt-otp", "X-JWT-Token", "proxy-authorization", "origin"],
    ...[
      "x-forwarded-for",
      "x-real-ip",
      "forwarded",
      "Sluice-Caller",
      "sluice-plugin",
      "connection",
    ],
    ...["te", "upgrade", "transfer-encoding", "keep-alive", "sec-websocket-protocol", "range"],
    ...["content-type", "accept", "x-anything", "host", "expect", "if-none-match"],
  );
  const value = fc.constantFrom("range", "secret", "close, range", "1.2.3.4");
  fc.assert(fc.property(fc.array(fc.tuple(name, value)), (sent) => {
    const pairs = headersToPlugin(sent, { Name: "p", URI: "p" }, {
      ...{ by: "token:a b\n", source: "192.0.2.1", tls: false, host: "router.lan" },
    });
    const headers = new Headers(Object.fromEntries(pairs));
    assert.equal([...headers].length, pairs.length, "none is there twice");
    const allowed =
      /^(accept|range|content-type|if-none-match|user-agent|host|x-forwarded-|sluice-)/;
    for (const [name, value] of headers) {
      assert.match(name, allowed);
      if (/forwarded-for/.test(name)) assert.equal(value, "192.0.2.1");
    }
    assert.equal(headers.get("sluice-caller"), "token%3Aa%20b%0A");
    assert.equal(headers.get("sluice-plugin"), "p");
    assert.equal(headers.get("host"), "router.lan");
  }));
});

Deno.test("a plugin sets nothing that acts on the router's origin", () => {
  const headers = headersFromPlugin([
    ...[["Set-Cookie", "sluice-http=x"], ["clear-site-data", "*"], [
      "strict-transport-security",
      "x",
    ]],
    ...[["access-control-allow-origin", "*"], ["service-worker-allowed", "/"], ["x-one-hop", "1"]],
    ...[["connection", "X-One-Hop"], ["www-authenticate", "Basic"], ["x-frame-options", "DENY"]],
    ...[["content-security-policy", "default-src 'none'"], ["etag", '"1"'], ["confirm-token", "x"]],
    ...[["x-spr-auth-error", "invalid_token"], ["refresh", "0"], ["cache-control", "max-age=5"]],
    ...[["cross-origin-resource-policy", "cross-origin"], ["location", "/next?x#y"]],
  ] as [string, string][], { URI: "a/b", sandboxed: true });
  assert.deepEqual(Object.fromEntries(headers), {
    "cache-control": "max-age=5",
    "content-security-policy":
      "default-src 'none', sandbox allow-scripts allow-forms; frame-ancestors 'self'",
    "etag": '"1"',
    "location": "/plugins/a/b/next?x#y",
    "x-content-type-options": "nosniff",
  });
});

Deno.test("a redirect of a plugin stays below its prefix, or leads to another web site", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("/", "", "//", "/\\", "..", "javascript:"), (
      text,
      start,
    ) => {
      const target = targetBelow(start + text, "a");
      if (target === null) return;
      const page = new URL("http://router.lan/plugins/a/x/y");
      const url = URL.parse(target, page.href);
      if (url === null) return;
      assert.ok(["http:", "https:"].includes(url.protocol), target);
      if (url.host === page.host) assert.ok(url.pathname.startsWith("/plugins/a/"), target);
    }),
    { numRuns: 2000 },
  );
  assert.equal(targetBelow("/../../logout", "a"), null);
  assert.equal(targetBelow("//other.example/x", "a"), "http://other.example/x");
  assert.equal(targetBelow("javascript:alert(1)", "a"), null);
  assert.equal(targetBelow("next", "a"), "next");
});

const kinds = (found: Readonly<Record<string, PathKind>>) => (path: string): PathKind =>
  found[path] ?? "folder";

Deno.test("the socket of a plugin lies in its own folder, which is none of ours", () => {
  const fault = (Name: string, UnixPath: string) => socketPathFault({ Name, UnixPath });
  assert.equal(fault("sample", "/state/plugins/sample/socket"), null);
  assert.equal(fault("PFW", "/state/plugins/pfw/socket"), null);
  for (
    const [name, path] of [
      ["sample", "/state/net/netd.sock"],
      ["sample", "/state/plugins/other/socket"],
      ["sample", "/state/plugins/superd/socket"],
      ["superd", "/state/plugins/superd/socket"],
      ["Superd", "/state/plugins/Superd/socket"],
      ["wireguard", "/state/plugins/wireguard/apisock"],
      ["sample", "/run/docker.sock"],
      ["sample", "/state/plugins/sample"],
      ["pfw2", "/state/plugins/pfw/socket"],
    ] as const
  ) assert.match(fault(name, path) ?? "", /in its own folder/, path);
  for (const UnixPath of ["/a/../b", "/a/./b", "a/b", "//a", "/a/", "/a\0b", "/a/.hidden"]) {
    assert.ok(!Plugin.safeParse({ Name: "sample", UnixPath }).success, UnixPath);
  }
});

Deno.test("no part of a socket's path is a link, and its end is a socket", () => {
  const plugin = { Name: "sample", UnixPath: "/state/plugins/sample/run/socket" };
  const end = "/h/state/plugins/sample/run/socket";
  const place = (found: Readonly<Record<string, PathKind>>) =>
    socketPlace(plugin, "/h", kinds({ [end]: "socket", ...found }));
  assert.deepEqual(place({}), { path: end });
  const parts = ["/h/state", "/h/state/plugins", "/h/state/plugins/sample"];
  for (const path of [...parts, "/h/state/plugins/sample/run", end]) {
    for (const kind of ["link", "other", null] as const) {
      const bad = socketPlace(
        plugin,
        "/h",
        (at) => at === path ? kind : kinds({ [end]: "socket" })(at),
      );
      assert.ok("fault" in bad, `${path} ${kind}`);
    }
  }
  assert.ok(
    "fault" in
      socketPlace(
        plugin,
        `/${"h".repeat(90)}`,
        (at) => /run\/socket$/.test(at) ? "socket" : "folder",
      ),
  );
});

Deno.test("git addresses are fetched over TLS, carry no credentials and are no options", () => {
  for (const good of ["https://github.com/me/plugin", "https://git.example:8443/a/b.git"]) {
    assert.ok(isGitUrl(good), good);
  }
  for (
    const bad of [
      ...[
        "file:///etc",
        "ssh://git@host/x",
        "git@host:x",
        "--upload-pack=touch /tmp/x",
        "http://h/x",
      ],
      ...[
        "https://u:p@h/x",
        "https://h/-x",
        "https://h/x?y",
        "https://h/x#y",
        "https://h",
        "https://h/",
      ],
      ...[
        "https://h/../x",
        "https://h/a/%2e%2e/b",
        "ext::sh -c x",
        "https://h/x\n--y",
        "https://-h /x",
      ],
    ]
  ) assert.ok(!isGitUrl(bad), bad);
});
