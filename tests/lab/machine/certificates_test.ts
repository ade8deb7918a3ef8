import assert from "node:assert/strict";
import { join } from "node:path";
import { validFor } from "../../../system/certificates/rules.ts";
import {
  makeCaCertificate,
  makeCertificate,
  readCertificate,
} from "../../../system/certificates/x509.ts";
import { inFolder } from "../../kit/process.ts";

Deno.test("openssl verifies our certificates: chain, names, addresses, purpose and key", async () => {
  await inFolder(async (folder) => {
    const authority = await makeCaCertificate("Sluice box", validFor(3650, Date.now()));
    const subject = { dns: ["box.lan"], ip: ["192.168.2.1", "2001:db8::1"] };
    const leaf = await makeCertificate(authority, {
      ...subject,
      validity: validFor(397, Date.now()),
    });
    const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
    await Promise.all([
      write("ca.crt", authority.cert),
      write("leaf.crt", leaf.cert),
      write("leaf.key", leaf.key),
    ]);
    const openssl = async (...args: string[]) => {
      const { success, stdout } = await new Deno.Command("openssl", { args, cwd: folder }).output();
      return { success, text: new TextDecoder().decode(stdout) };
    };
    const verify = (...more: string[]) =>
      openssl(
        "verify",
        "-x509_strict",
        "-purpose",
        "sslserver",
        "-CAfile",
        "ca.crt",
        ...more,
        "leaf.crt",
      );
    assert.ok((await verify()).success);
    assert.ok((await verify("-verify_hostname", "box.lan")).success);
    assert.ok((await verify("-verify_ip", "192.168.2.1")).success);
    assert.ok((await verify("-verify_ip", "2001:db8::1")).success);
    assert.ok(!(await verify("-verify_hostname", "evil.lan")).success);
    const [fromKey, fromCert] = await Promise.all([
      openssl("pkey", "-in", "leaf.key", "-pubout"),
      openssl("x509", "-in", "leaf.crt", "-noout", "-pubkey"),
    ]);
    assert.ok(fromKey.text.startsWith("-----BEGIN PUBLIC KEY-----"));
    assert.equal(fromKey.text, fromCert.text);
    assert.deepEqual(readCertificate(leaf.cert).ip, subject.ip);
  });
});
