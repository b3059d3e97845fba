// Theme, copying and keys. Every page can be read, and every form sent, without it.
(() => {
  "use strict";
  const root = document.documentElement;
  const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const store = (name, value) => { try { localStorage.setItem(name, value); } catch { /* kept for this page only */ } };

  // Before the page is drawn, so that it is drawn once.
  const THEMES = ["auto", "light", "dark"];
  let theme = THEMES.includes(stored("evenhand-theme")) ? stored("evenhand-theme") : "auto";
  const applyTheme = () => { root.dataset.theme = theme; };
  root.dataset.script = "on";
  applyTheme();

  const say = (text) => {
    const said = document.querySelector("[data-said]");
    if (said) said.textContent = text;
  };

  const showTheme = () => {
    for (const name of document.querySelectorAll("[data-theme-name]")) name.textContent = theme;
  };
  const nextTheme = () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    store("evenhand-theme", theme);
    applyTheme();
    showTheme();
    say(`Theme: ${theme}`);
  };

  // The clipboard's own interface is there only behind TLS and on this machine.
  const write = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hidden";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("refused");
  };
  const copy = async (button) => {
    try {
      await write(button.dataset.copy);
      button.dataset.done = "";
      say("Copied");
      setTimeout(() => delete button.dataset.done, 1500);
    } catch {
      say("The browser refused to copy");
    }
  };

  const rows = () => [...document.querySelectorAll("[data-row]")];
  const move = (step) => {
    const listed = rows();
    const at = listed.findIndex((row) => row.contains(document.activeElement));
    const next = listed[at < 0 ? (step > 0 ? 0 : listed.length - 1) : at + step];
    const link = next && next.querySelector("th a, a");
    if (link) link.focus();
  };

  let leads = false;
  const isTyping = (target) => target.closest("input, select, textarea, [contenteditable], dialog");
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (stored("evenhand-keys") === "off") return;
    const key = event.key;
    if (leads) {
      leads = false;
      const place = document.querySelector(`.menu a[data-key="${CSS.escape(key)}"]`);
      if (place) { event.preventDefault(); place.click(); }
      return;
    }
    const filter = document.querySelector("[data-filter]");
    if (key === "g") { leads = true; setTimeout(() => { leads = false; }, 1500); }
    else if (key === "?") { event.preventDefault(); openKeys(); }
    else if (key === "t") nextTheme();
    else if (key === "j") move(1);
    else if (key === "k") move(-1);
    else if (key === "/" && filter) { event.preventDefault(); filter.focus(); }
  };
  const openKeys = () => document.getElementById("shortcuts")?.showModal();

  document.addEventListener("DOMContentLoaded", () => {
    showTheme();
    // A narrow window shows a part of the menu: the part in which somebody is.
    const menu = document.querySelector(".menu");
    const here = menu?.querySelector("[aria-current]");
    if (here) menu.scrollLeft += here.getBoundingClientRect().right - menu.getBoundingClientRect().right + 48;
    const keys = document.querySelector("[data-keys-switch]");
    if (keys) {
      keys.checked = stored("evenhand-keys") !== "off";
      keys.addEventListener("change", () => store("evenhand-keys", keys.checked ? "on" : "off"));
    }
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", (event) => {
      const target = event.target.closest("[data-copy], [data-theme-toggle], [data-shortcuts]");
      if (!target) return;
      if ("copy" in target.dataset) copy(target);
      else if ("themeToggle" in target.dataset) nextTheme();
      else openKeys();
    });
  });
})();
