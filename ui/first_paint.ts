// Runs before the first paint, so that neither a chosen theme nor another language flashes.
(() => {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem("sluice.theme");
  if (theme === "light" || theme === "dark") dataset["theme"] = theme;

  const files = document.querySelector<HTMLMetaElement>("meta[name=texts]")?.dataset ?? {};
  const wanted = [localStorage.getItem("sluice.language") ?? "", ...navigator.languages];
  const language = wanted.map((one) => one.split("-")[0]!.toLowerCase())
    .find((one) => one === "en" || one in files);
  const [shell] = files[language ?? ""]?.split(" ") ?? [];
  if (language === undefined || shell === undefined) return;
  document.documentElement.lang = language;
  const early = document.createElement("link");
  Object.assign(early, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href: shell });
  document.head.append(early);
})();
