import assert from "node:assert/strict";
import { namesDocument } from "../../../system/access/names_document.ts";

Deno.test("the router's further names are read in lower case, and what is no host name is rejected", () => {
  const { value, rejected } = namesDocument.read([
    "Router.Example.org",
    "*.home.arpa",
    "a b",
    7,
    "x/y",
    "",
  ]);
  assert.deepEqual(value, ["router.example.org", "*.home.arpa"]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/2", "/3", "/4", "/5"]);
});

Deno.test("names that are no array leave the last good ones in force", () => {
  assert.throws(() => namesDocument.read({ names: [] }));
});
