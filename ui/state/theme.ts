import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "sluice.theme";

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

export const theme = signal<Theme>(stored());

/** Sets the colours and remembers them in this browser. */
export function setTheme(value: Theme): void {
  theme.value = value;
  if (value === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(KEY, value);
    document.documentElement.dataset["theme"] = value;
  }
}
