/** Run in a namespace of the lab: sends one mail by STARTTLS and prints what came of it. */
import { AlertChannel } from "../../../system/alerts/channels/schema.ts";
import { sendMail } from "../../../system/alerts/delivery/mail.ts";
import { testMessage } from "../../../system/alerts/delivery/alert_texts.ts";
import { DeliveryError } from "../../../system/alerts/delivery/outgoing.ts";
import { INTERNET } from "../lab/lab.ts";

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const [trusted = "", to = "anna@example.org"] = Deno.args;
const id = "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1";
const channel = AlertChannel.parse({
  ...{ id, name: "mail", kind: "email", host: "mail.test", port: 2526, user: "anna" },
  ...{ password: "pass word", from: "router@example.org", to: [to] },
});
const outgoing = {
  resolve: () => Promise.resolve([INTERNET]),
  connect: () => Promise.reject(new Error("not used")),
  own: { addresses: [], networks: [] },
  localNetwork: false,
  signal: AbortSignal.timeout(60_000),
};
try {
  const outcome = await sendMail(channel, testMessage({ id, at: 0, name: "mail" }), {
    ...{ outgoing, router: "lab", origin: "" },
    trusted: trusted === "" ? [] : [atob(trusted)],
  });
  say(`outcome ${outcome.kind} ${outcome.message}`);
} catch (error) {
  if (!(error instanceof DeliveryError)) throw error;
  say(`outcome ${error.outcome.kind} ${error.outcome.message}`);
}
Deno.exit(0);
