import { externalOpenApi } from "../../routes/openapi/described.ts";

/** What stands before types that are made of the document with this hash. */
function heading(hash: string): string {
  return `// Made by ui/build.ts from the API document. Do not edit.\n// Document ${hash}\n`;
}

/**
 * The TypeScript module with the API's components as types, or null where `current` is made of the same
 * document: the compiler that writes it takes a second to load.
 */
export async function apiTypesModule(current: string | null): Promise<string | null> {
  const { components: { schemas }, openapi } = externalOpenApi({ api: "", program: "" });
  const document = {
    openapi,
    info: { title: "", version: "" },
    paths: {},
    components: { schemas },
  };
  const start = heading(await hashOf(JSON.stringify(document)));
  if (current?.startsWith(start)) return null;
  const { default: openapiTypes, astToString } = await import("openapi-typescript");
  const types = astToString(await openapiTypes(document as never, { immutable: true }));
  return `${start}// deno-fmt-ignore-file\n${types}`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex().slice(0, 16);
}
