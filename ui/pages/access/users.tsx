import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, put } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Loading } from "../../parts/load/loading.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { user } from "../../state/session.ts";
import { say } from "../../state/toast.ts";
import { age, isNow } from "../../text/time.ts";
import type { Role, User } from "../../wire.ts";
import { t, tn } from "../../text/language.ts";

/** The roles with what they include. */
const ROLES: readonly (readonly [Role, string, string])[] = [
  ["admin", t("Admin"), t("Everything")],
  [
    "operator",
    t("Operator"),
    t("Devices, Wi-Fi, rules and DNS, but no users, tokens, backups, updates or plugins"),
  ],
  ["read-only", t("Read-only"), t("Looks at everything but passwords, and changes nothing")],
];

const roleText = (role: Role): string => ROLES.find(([name]) => name === role)![1];
const pathOf = (name: string): string => `/auth/users/${encodeURIComponent(name)}`;

/** Who may sign in, and what each may do. For admins. */
export function UsersPanel(): VNode {
  const users = useSignal<readonly User[] | null>(null);
  const problem = useSignal<string | null>(null);
  const editing = useSignal<User | "new" | null>(null);
  const leaving = useSignal<User | null>(null);

  async function load(): Promise<void> {
    try {
      users.value = (await call<readonly User[]>({ path: "/auth/users" })).body;
      problem.value = null;
    } catch (error) {
      problem.value = textOf(error);
    }
  }
  useEffect(() => void load(), []);

  async function remove({ Name: name }: User): Promise<void> {
    await call({ method: "DELETE", path: pathOf(name) });
    say({ subject: name, text: t("was deleted and is signed out.") });
    await load();
  }

  return (
    <section class="panel" aria-labelledby="users">
      <header>
        <h2 id="users">{t("Users")}</h2>
        {users.value !== null && (
          <span class="note">{tn("{count} user", "{count} users", users.value.length)}</span>
        )}
      </header>
      {problem.value && <Fault title={t("The users could not be loaded.")}>{problem.value}</Fault>}
      {users.value === null
        ? problem.value === null && <Loading what={t("users")} rows={2} />
        : (
          <ul class="rows">
            {users.value.map((one) => (
              <li key={one.Name}>
                <div class="grow">
                  <b>
                    <Name>{one.Name}</Name>
                  </b>
                  <p>
                    {roleText(one.Role)}
                    {one.SecondFactor ? t(", second factor") : t(", no second factor")}
                    {one.LastSeen > 0 && seenText(one.LastSeen)}
                  </p>
                </div>
                <button class="btn small" type="button" onClick={() => editing.value = one}>
                  {t("Edit")}
                  <span class="vh">: {one.Name}</span>
                </button>
                {one.Name !== user.value && (
                  <button
                    class="btn small danger"
                    type="button"
                    onClick={() => leaving.value = one}
                  >
                    {t("Delete")}
                    <span class="vh">: {one.Name}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      <div class="pad row">
        <button class="btn" type="button" onClick={() => editing.value = "new"}>
          {t("Add user")}
        </button>
      </div>
      {leaving.value !== null && (
        <DeleteDialog
          name={leaving.value.Name}
          loss={t("Their sessions end immediately.")}
          act={() => remove(leaving.value as User)}
          onClose={() => leaving.value = null}
        />
      )}
      {editing.value !== null && (
        <UserDialog
          known={editing.value === "new" ? null : editing.value}
          onClose={() => editing.value = null}
          onSaved={(name) => {
            editing.value = null;
            say({ subject: name, text: t("was saved.") });
            void load();
          }}
        />
      )}
    </section>
  );
}

function seenText(at: number): string {
  const ago = age(at, Date.now());
  return isNow(at, Date.now()) ? t(", active now") : t(", active {ago} ago", { ago });
}

function UserDialog(
  { known, onClose, onSaved }: {
    known: User | null;
    onClose: () => void;
    onSaved: (name: string) => void;
  },
): VNode {
  const name = useSignal(known?.Name ?? "");
  const role = useSignal<Role>(known?.Role ?? "operator");
  const password = useSignal("");
  const write = useForm({
    check: () => [
      ...(name.value.trim() === "" ? [{ pointer: "/Name", message: t("Enter a user name") }] : []),
      ...(known === null && password.value === ""
        ? [{ pointer: "/Password", message: t("Enter a password for the new user") }]
        : []),
    ],
    async send() {
      await put(pathOf(name.value.trim()), {
        Role: role.value,
        ...(password.value === "" ? {} : { Password: password.value }),
      });
      onSaved(name.value.trim());
    },
  });
  const [, , includes] = ROLES.find(([value]) => value === role.value)!;
  return (
    <Dialog
      kind="drawer"
      title={known === null ? t("Add user") : t("Edit {name}", { name: known.Name })}
      note={t("Signs in with name and password")}
      onClose={onClose}
    >
      <div class="body">
        <Form write={write} failed={t("The user was not saved.")} id="user" class="part form">
          {known === null && (
            <Field
              label={t("Name")}
              autocomplete="off"
              maxLength={64}
              required
              {...write.text("Name", name)}
            />
          )}
          <SelectField
            label={t("Role")}
            help={includes}
            problem={write.at("Role")}
            value={role.value}
            options={ROLES.map(([value, text]) => [value, text] as const)}
            onValue={(value) => {
              role.value = value as Role;
              write.edited("Role");
            }}
          />
          <Field
            label={known === null ? t("Password") : t("New password")}
            help={known === null
              ? t("At least 8 characters; they can change it after signing in")
              : t("Leave empty to keep it")}
            secret
            autocomplete="new-password"
            {...write.text("Password", password)}
          />
          {known !== null && (
            <p class="s quiet">{t("Another role or password signs this user out everywhere.")}</p>
          )}
        </Form>
      </div>
      <FormFooter write={write} form="user" text={t("Save")} onClose={onClose} />
    </Dialog>
  );
}
