import assert from "node:assert/strict";
import { listeningText } from "../../../routes/http/listen.ts";

Deno.test("the start line says that a listener is open on every interface, and how to close it", () => {
  assert.equal(
    listeningText("0.0.0.0:80", false),
    "Listening on 0.0.0.0:80, on every interface: http://127.0.0.1/ on this machine; " +
      "SLUICE_HTTP=127.0.0.1:8080 keeps it to this " +
      "machine",
  );
  assert.match(
    listeningText("[::]:443", true),
    /every interface: https:\/\/127\.0\.0\.1\/ on this machine; SLUICE_HTTPS=127\.0\.0\.1:8443/,
  );
});

Deno.test("the start line of a listener on one address names only that", () => {
  for (const address of ["127.0.0.1:8080", "[::1]:80", "192.168.2.1:80", "10.0.0.0:80"]) {
    assert.equal(
      listeningText(address, false),
      `Listening on ${address}: http://${address.replace(/:80$/, "")}/`,
    );
  }
});
