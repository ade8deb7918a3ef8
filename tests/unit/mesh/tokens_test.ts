import assert from "node:assert/strict";
import { join } from "node:path";
import { readSetting, writeSetting } from "../../../system/access/store.ts";
import { notFound } from "../../../system/core/errors/problem.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { REPORT_TOKEN_NAME } from "../../../system/mesh/rules.ts";
import { MeshTokens, type MeshTokensDeps } from "../../../system/mesh/tokens.ts";
import { openMesh, type OpenMeshOptions } from "../../../routes/composition/mesh.ts";
import { configWith } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { inFolder } from "../../kit/process.ts";

const [FIRST, SECOND, THIRD] = ["192.168.2.6", "192.168.2.10", "192.168.2.14"] as const;

/** API tokens of a router by id; each deletion is asked of `mayEnd`. */
async function withTokens(
  test: (bed: {
    readonly deps: MeshTokensDeps;
    readonly names: Map<string, string>;
    readonly mayEnd: { ask: (id: string) => void };
  }) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const store = await openStore(join(folder, "sluice.db"));
    const names = new Map<string, string>(), mayEnd = { ask: (_: string) => {} };
    let made = 0;
    const access = {
      accounts: {
        createToken: ({ Name = "" }) => {
          const ID = `id${++made}`;
          names.set(ID, Name);
          return Promise.resolve({ Name, ID, Token: `token-${ID}` });
        },
        deleteToken: async ({ ID }: { ID: string }) => {
          await Promise.resolve();
          mayEnd.ask(ID);
          if (!names.delete(ID)) throw notFound("There is no such token");
        },
      },
      tokens: {
        find: () => [],
        holds: (id: string) => names.has(id),
        list: () => [...names].map(([ID, Name]) => ({ ID, Name })),
      },
    } as unknown as MeshTokensDeps["access"];
    try {
      await test({ deps: { db: store.db, access }, names, mayEnd });
    } finally {
      store.close();
    }
  });
}

Deno.test("a token of a leaf that was deleted already keeps no other from ending", () =>
  withTokens(async ({ deps, names }) => {
    const tokens = await MeshTokens.open(deps);
    await tokens.keepReports(new Set([FIRST, SECOND, THIRD]));
    names.delete("id1");
    await tokens.keepReports(new Set([THIRD]));
    assert.deepEqual([...names.keys()], ["id3"]);
    assert.deepEqual(Object.keys((await MeshTokens.open(deps)).reports), [THIRD]);
  }));

Deno.test("where one token cannot be ended, those before it stay ended", () =>
  withTokens(async ({ deps, mayEnd }) => {
    const tokens = await MeshTokens.open(deps);
    await tokens.keepReports(new Set([FIRST, SECOND]));
    mayEnd.ask = (id) => {
      if (id === "id2") throw new Error("The disk is full");
    };
    await assert.rejects(tokens.keepReports(new Set()), /disk is full/);
    const stored = await readSetting(deps.db, "mesh-report-tokens") ?? "";
    assert.deepEqual(Object.keys(JSON.parse(stored)), [SECOND]);
  }));

Deno.test("a token that nobody noted before a stop is ended", () =>
  withTokens(async ({ deps, names }) => {
    const tokens = await MeshTokens.open(deps);
    await tokens.keepReports(new Set([FIRST]));
    names.set("lost", REPORT_TOKEN_NAME);
    names.set("other", "backup");
    assert.equal(await tokens.keepReports(new Set([FIRST])), true);
    assert.deepEqual([...names.keys()], ["id1", "other"]);
    assert.equal(await tokens.keepReports(new Set([FIRST])), false);
  }));

Deno.test("tokens of leaves that are gone end at start, again where that failed", () =>
  withTokens(async ({ deps, names, mayEnd }) => {
    names.set("gone", REPORT_TOKEN_NAME);
    const entry = { id: "gone", token: "token" };
    await writeSetting(deps.db, "mesh-report-tokens", JSON.stringify({ [FIRST]: entry }));
    const errors: string[] = [];
    mayEnd.ask = () => {
      if (errors.length < 2) throw new Error("The disk is full");
    };
    const { stop } = await openMesh({
      ...deps,
      engine: { config: configWith({}) },
      bus: new Bus(),
      log: { error: (code: string) => errors.push(code) },
      tokenRetryMs: 1,
    } as unknown as OpenMeshOptions);
    try {
      await eventually("the token ends", () => assert.deepEqual([...names.keys()], []));
      assert.deepEqual(errors, ["mesh.token_not_replaced", "mesh.token_not_replaced"]);
    } finally {
      stop();
    }
  }));
