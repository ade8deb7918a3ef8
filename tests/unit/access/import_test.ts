import assert from "node:assert/strict";
import fc from "fast-check";
import {
  otpCopy,
  readOtpFile,
  readTokensFile,
  tokensCopy,
} from "../../../system/access/tokens/import_files.ts";

const SECRET = "c2VjcmV0IG9mIGFuIG9sZCBpbnN0YWxsZXI";

Deno.test("readTokensFile() and readOtpFile() never throw, whatever the JSON", () => {
  fc.assert(fc.property(fc.jsonValue(), (raw) => {
    readTokensFile(raw);
    readOtpFile(raw);
    readTokensFile([raw]);
    readOtpFile({ OTPUsers: [raw] });
  }));
});

Deno.test("a copy of a tokens file contains no token", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (rest) => {
    const file = readTokensFile([{ ...rest, Token: SECRET }])!;
    assert.ok(file.secrets);
    assert.ok(!JSON.stringify(tokensCopy([], file.bad)).includes(SECRET));
  }));
});

Deno.test("an entry with invalid paths is not one with all paths", () => {
  for (const ScopedPaths of ["/a", { 0: "/a" }, [1], 7, true]) {
    assert.deepEqual(readTokensFile([{ Token: SECRET, ScopedPaths }])?.entries, []);
  }
  const [empty] = readTokensFile([{ Token: SECRET, ScopedPaths: [""] }])!.entries;
  assert.deepEqual(empty?.ScopedPaths, [""]);
});

Deno.test("readOtpFile() counts unusable entries, but not those already copied", () => {
  const users = [
    { Name: "a", Secret: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq", Confirmed: true },
    { Name: "b", Secret: "", Confirmed: true, AlwaysOn: true },
    { Name: "c", Secret: "no base32!" },
    { Secret: SECRET },
    7,
  ];
  const file = readOtpFile({ OTPUsers: users })!;
  assert.deepEqual(file.users, [{
    Name: "a",
    Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    Confirmed: true,
    AlwaysOn: false,
  }]);
  assert.deepEqual([file.secrets, file.bad], [true, 3]);
  assert.deepEqual(readOtpFile({ OTPUsers: [users[1]] })?.secrets, false);
});

Deno.test("readOtpFile() accepts a duration between a minute and thirty days", () => {
  const of = (JWTDurationSeconds: unknown) => readOtpFile({ JWTDurationSeconds })?.duration;
  assert.deepEqual([60, 3600, 2_592_000].map(of), [60, 3600, 2_592_000]);
  assert.deepEqual([0, 59, 2_592_001, -1, 1.5, "60", null].map(of), [0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("a copy of the one-time passwords keeps the users without secrets", () => {
  const settings = {
    OTPUsers: [{ Name: "admin", Secret: SECRET, Confirmed: true, AlwaysOn: false }],
    JWTDurationSeconds: 60,
  };
  assert.deepEqual(otpCopy(settings).OTPUsers[0], { ...settings.OTPUsers[0], Secret: "" });
});
