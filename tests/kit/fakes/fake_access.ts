import type { Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { OtpStatus, Session } from "../../../ui/wire.ts";

const PUBLIC = /^\/(admin(\/|$)|$|auth\/(login|stage)$)/;
const JWT = "header.claims.signature";

/** Password of the one account, and the code that is right. */
export const PASSWORD = "rain falls up";
export const CODE = "287082";

/** Sign-in, sessions and the second factor of the fake API. */
export class FakeAccess {
  alwaysOn: boolean;
  state: "unregistered" | "not yet validated" | "registered";
  password = PASSWORD;
  sessions: Session[] = [];
  recoveryCodes = 0;

  constructor(options: { readonly alwaysOn: boolean; readonly otp: boolean }) {
    this.alwaysOn = options.alwaysOn;
    this.state = options.otp ? "registered" : "unregistered";
  }

  /** Ends every session, as a change of the password elsewhere would. */
  endAll(): void {
    this.sessions = [];
  }

  mount(app: Hono): void {
    app.use(async (c, next) => {
      const path = new URL(c.req.url).pathname;
      if (PUBLIC.test(path)) return await next();
      if (this.#session(c) === undefined) return problem(c, 401, "Sign in first");
      const proven = c.req.header("X-JWT-OTP") === JWT;
      if (this.alwaysOn && !proven && path !== "/otp_validate" && path !== "/events") {
        return problem(c, 403, "Invalid JWT: this account asks for a code");
      }
      return await next();
    });
    app.put("/auth/login", (c) => this.#login(c));
    app.get("/auth/stage", (c) => {
      const known = this.#session(c);
      const proven = !this.alwaysOn || c.req.header("X-JWT-OTP") === JWT;
      const stage = known === undefined ? "out" : proven ? "in" : "code";
      const role = known === undefined ? null : "admin";
      return c.json({ stage, user: known?.user ?? "", role, open: false, passwordSet: true });
    });
    app.put("/auth/logout", (c) => {
      this.sessions = this.sessions.filter((session) => session.id !== getCookie(c, "session"));
      return c.body(null);
    });
    app.get("/auth/sessions", (c) =>
      c.json({
        items: this.sessions.map((one) => ({
          ...one,
          current: one.id === getCookie(c, "session"),
        })),
        next: null,
      }));
    app.delete("/auth/sessions/:id", (c) => {
      this.sessions = this.sessions.filter((session) => session.id !== c.req.param("id"));
      return c.body(null);
    });
    app.put("/auth/password", (c) => this.#changePassword(c));
    this.#mountOtp(app);
  }

  #session(c: Context): Session | undefined {
    return this.sessions.find((session) => session.id === getCookie(c, "session"));
  }

  #login(c: Context): Response {
    const sent = atob((c.req.header("Authorization") ?? "").replace("Basic ", ""));
    if (sent !== `admin:${this.password}`) return problem(c, 401, "Name or password is wrong");
    this.#open(c);
    return c.json({ name: "admin", role: "admin", id: "", expires: 0, otp: this.#status() });
  }

  #open(c: Context): void {
    const id = crypto.randomUUID();
    const now = Date.now();
    this.sessions.push({
      id,
      user: "admin",
      source: "192.168.2.6",
      agent: c.req.header("user-agent") ?? "",
      createdAt: now,
      lastSeen: now,
      current: true,
    });
    setCookie(c, "session", id, { httpOnly: true, sameSite: "Strict", path: "/" });
  }

  #status(): OtpStatus {
    const Confirmed = this.state === "registered";
    const codes = Confirmed ? { RecoveryCodes: this.recoveryCodes } : {};
    return { State: this.state, AlwaysOn: this.alwaysOn, Confirmed, ...codes };
  }

  async #changePassword(c: Context): Promise<Response> {
    const { Current, New } = await c.req.json();
    if (Current !== this.password) {
      return problem(c, 400, "The password now is wrong", {
        errors: [{ pointer: "/Current", message: "This is not your password" }],
      });
    }
    this.password = New;
    this.endAll();
    this.#open(c);
    return c.body(null);
  }

  #mountOtp(app: Hono): void {
    app.get("/otp_status", (c) => c.json(this.#status()));
    app.put("/otp_register", (c) => {
      this.state = "not yet validated";
      const user = { Name: "admin", Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Confirmed: false };
      return c.json({ OTPUsers: [{ ...user, AlwaysOn: false }], JWTDurationSeconds: 3600 });
    });
    app.delete("/otp_register", (c) => {
      this.state = "unregistered";
      return c.body(null);
    });
    app.put("/otp_recovery", (c) => {
      this.recoveryCodes = 10;
      const Codes = Array.from(
        { length: 10 },
        (_, nth) => `abcd-efgh-2345-mno${"abcdefghij"[nth]}`,
      );
      return c.json({ Codes });
    });
    app.put("/otp_validate", async (c) => {
      const body = await c.req.json();
      if (body.Code !== CODE) return problem(c, 400, "This code is not right. Wait for the next");
      this.state = "registered";
      if (body.UpdateAlwaysOn) this.alwaysOn = body.AlwaysOn;
      return c.json(JWT);
    });
  }
}

/** A problem document as the real API answers it. */
export function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 412,
  detail: string,
  members: Record<string, unknown> = {},
): Response {
  return c.json({ type: "about:blank", title: detail, status, detail, ...members }, status, {
    "Content-Type": "application/problem+json",
  });
}
