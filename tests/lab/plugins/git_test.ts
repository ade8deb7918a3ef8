import assert from "node:assert/strict";
import { readCode } from "../../../system/plugins/install/code.ts";
import { readFolder } from "../../../system/plugins/install/folder.ts";
import { must } from "../../kit/lab/command.ts";
import { startGitServer } from "../../kit/plugins/git_server.ts";
import { inFolder } from "../../kit/process.ts";

const KIT = new URL("../../kit/plugins/", import.meta.url);
/** Where Debian's git looks for authorities. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

Deno.test("a plugin is fetched by git over https, from who has a certificate, without redirects", async () => {
  await inFolder(async (folder) => {
    const files: Record<string, string> = {};
    for (const name of ["plugin.json", "main.ts", "page.html"]) {
      files[name] = await Deno.readTextFile(new URL(`sample/${name}`, KIT));
    }
    await Deno.mkdir(`${folder}/repository`);
    await using server = await startGitServer(`${folder}/repository`, files);
    await Deno.writeTextFile(`${folder}/authority.pem`, server.authority);
    /** Fetches it in a mount namespace where this authority alone is known, or all but this one. */
    const fetched = async (name: string, isKnown: boolean): Promise<string | null> => {
      const program = `"$1" run -q -A --no-check "$2" "$3" "$4"`;
      const cover = isKnown ? `mount --bind "$5" ${AUTHORITIES} && ` : "";
      const args = [
        ...[Deno.execPath(), new URL("fetch_repository.ts", KIT).pathname, server.url],
        ...[`${folder}/${name}`, `${folder}/authority.pem`],
      ];
      return JSON.parse(
        await must("unshare", ["-m", "sh", "-c", `${cover}exec ${program}`, "sh", ...args]),
      );
    };
    assert.equal(await fetched("whole", true), null);
    const { manifest, files: found } = readCode(await readFolder(`${folder}/whole`));
    assert.equal(manifest.Name, "sample");
    assert.deepEqual(
      found.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]).sort(),
      Object.entries(files).sort(),
    );
    assert.match(String(await fetched("unknown", false)), /certificate/);
    server.redirects = true;
    assert.match(String(await fetched("elsewhere", true)), /redirect|302/i);
    for (const name of ["unknown", "elsewhere"]) {
      await assert.rejects(Deno.lstat(`${folder}/${name}/plugin.json`));
    }
  });
});
