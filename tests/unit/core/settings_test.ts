import assert from "node:assert/strict";
import { SERVICES } from "../../../system/processes.ts";
import { Refusal } from "../../../system/core/errors/refusal.ts";
import {
  type Environment,
  formatListener,
  parseSettings,
  type Settings,
  settingsEnvironment,
} from "../../../system/core/process/settings.ts";

function parse(environment: Environment): Settings {
  return parseSettings(environment, { root: "/opt/sluice", attached: false, services: SERVICES });
}

function refusal(environment: Environment): string {
  try {
    parse(environment);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.message;
  }
  assert.fail("was not refused");
}

Deno.test("settings have the defaults of the manual", () => {
  assert.deepEqual(parse({}), {
    root: "/opt/sluice",
    home: "/opt/sluice/var",
    http: { hostname: "0.0.0.0", port: 80 },
    https: { hostname: "0.0.0.0", port: 443 },
    database: null,
    services: SERVICES,
    network: "auto",
    install: true,
    bundled: false,
    attached: false,
    privateState: null,
    watchdog: null,
    secrets: { adminPassword: null, databaseToken: null },
  });
});

Deno.test("an empty variable counts as not set", () => {
  assert.deepEqual(
    parse({ SLUICE_HTTP: "", SLUICE_HOME: " ", SLUICE_ADMIN_PASSWORD: "" }),
    parse({}),
  );
});

Deno.test("a password keeps its blanks", () => {
  assert.equal(parse({ SLUICE_ADMIN_PASSWORD: " a b " }).secrets.adminPassword, " a b ");
});

Deno.test("listeners are read in each family and written back alike", () => {
  for (const text of ["127.0.0.1:8080", "[::]:80", "[2001:db8::1]:443", "localhost:0"]) {
    assert.equal(formatListener(parse({ SLUICE_HTTP: text }).http), text);
  }
});

Deno.test("a listener without a port, or with an impossible one, is refused by name", () => {
  for (const text of ["80", ":80", "127.0.0.1", "127.0.0.1:65536", "::1:80", "a b:80", "x:-1"]) {
    assert.match(refusal({ SLUICE_HTTPS: text }), /^SLUICE_HTTPS: Write an address and a port/);
  }
});

Deno.test("every wrong variable is named at once", () => {
  const lines = refusal({
    SLUICE_HTTP: "x",
    SLUICE_NETWORK: "yes",
    SLUICE_SERVICES: "dnsd,ftp",
    SLUICE_INSTALL: "never",
  });
  assert.deepEqual(lines.split("\n").map((line) => line.split(":")[0]), [
    "SLUICE_HTTP",
    "SLUICE_SERVICES",
    "SLUICE_NETWORK",
    "SLUICE_INSTALL",
  ]);
  assert.match(lines, /got "ftp"/);
});

Deno.test("services are all, none or a list; api and netd may be named", () => {
  assert.deepEqual(parse({ SLUICE_SERVICES: "none" }).services, []);
  assert.deepEqual(parse({ SLUICE_SERVICES: "api, dnsd ,netd" }).services, ["dnsd"]);
});

Deno.test("a database address with a token in it is refused, and the token is not repeated", () => {
  for (
    const address of ["libsql://h.example?authToken=hunter22", "https://u:hunter22@h.example"]
  ) {
    const message = refusal({ SLUICE_DATABASE: address });
    assert.match(message, /SLUICE_DATABASE_TOKEN/);
    assert.doesNotMatch(message, /hunter22/);
  }
  assert.equal(parse({ SLUICE_DATABASE: "libsql://h.example" }).database, "libsql://h.example");
});

Deno.test("settings come back whole from the environment of a child, without the secrets", () => {
  const settings = parse({
    SLUICE_HOME: "/srv/home",
    SLUICE_HTTP: "[::1]:8080",
    SLUICE_SERVICES: "none",
    SLUICE_NETWORK: "off",
    SLUICE_INSTALL: "no",
    SLUICE_DATABASE: "https://h.example",
    SLUICE_ADMIN_PASSWORD: "hunter22",
    SLUICE_DATABASE_TOKEN: "token-1",
  });
  const environment = settingsEnvironment(settings);
  assert.doesNotMatch(JSON.stringify(environment), /hunter22|token-1/);
  const secrets = { adminPassword: null, databaseToken: null };
  assert.deepEqual(parse(environment), { ...settings, secrets });
});
