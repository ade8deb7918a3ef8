import { makeCaCertificate, makeCertificate } from "../../../system/certificates/x509.ts";
import { command, must } from "../lab/command.ts";

/** A git server of the tests: one repository over https, by git's own program. */
export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** The certificate of the authority that vouches for it. */
  readonly authority: string;
  /** Answers with a redirect to itself while true. */
  redirects: boolean;
}

/** Starts it with a repository of these files, in a folder of the caller. */
export async function startGitServer(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<GitServer> {
  const git = (...args: readonly string[]) => must("git", ["-C", folder, ...args]);
  await git("init", "-q", "-b", "main");
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  await git("add", "-A");
  const who = ["-c", "user.name=Author", "-c", "user.email=author@example.org"];
  await git(...who, "commit", "-q", "-m", "Sample");
  const validity = { from: Date.now() - 60_000, to: Date.now() + 86_400_000 };
  const authority = await makeCaCertificate("git", validity);
  const pair = await makeCertificate(authority, { dns: ["localhost"], ip: [], validity });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, ...pair, onListen() {} },
    (request) => {
      const { pathname, search } = new URL(request.url);
      if (own.redirects) {
        return new Response(null, {
          status: 302,
          headers: { location: `/moved${pathname}${search}` },
        });
      }
      if (pathname.endsWith("/info/refs")) return uploadPack(folder, null);
      return request.method === "POST" && pathname.endsWith("/git-upload-pack")
        ? uploadPack(folder, request)
        : new Response(null, { status: 404 });
    },
  );
  const own = {
    url: `https://localhost:${server.addr.port}/sample.git`,
    authority: authority.cert,
    redirects: false,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return own;
}

/** The smart protocol over HTTP, of which git's own program speaks all but the first line. */
async function uploadPack(folder: string, request: Request | null): Promise<Response> {
  const kind = request === null ? "advertisement" : "result";
  const headers = { "content-type": `application/x-git-upload-pack-${kind}` };
  const args = ["upload-pack", "--stateless-rpc"];
  if (request === null) {
    const { stdout } = await command("git", [...args, "--advertise-refs", folder]);
    return new Response(`001e# service=git-upload-pack\n0000${stdout}`, { headers });
  }
  const child = new Deno.Command("git", {
    args: [...args, folder],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const unpacked = request.headers.get("content-encoding") === "gzip"
    ? request.body!.pipeThrough(new DecompressionStream("gzip"))
    : request.body!;
  void unpacked.pipeTo(child.stdin).catch(() => {});
  return new Response(child.stdout, { headers });
}
