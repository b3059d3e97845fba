// How far a comparison has come, while its page is open. Without it "Load anew" does the same.
(() => {
  "use strict";
  const MOST_SECONDS = 60;
  let tag = "";
  let failures = 0;

  const standing = () => document.getElementById("standing");
  const say = (text) => {
    const live = document.querySelector("[data-live]");
    if (live) live.textContent = text;
  };

  const ask = async () => {
    const shown = standing();
    const headers = tag ? { "If-None-Match": tag } : {};
    // The tag is kept here and not by the browser, whose cache would hide what is unchanged.
    const answer = await fetch(shown.dataset.progress, { headers, cache: "no-store", redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.status === 401) return location.reload();
    if (answer.status === 304) return undefined;
    if (!answer.ok) throw new Error(String(answer.status));
    tag = answer.headers.get("ETag") || "";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("standing");
    if (!next) throw new Error("no state");
    // Another state has other forms and a result: the page is loaded, unless somebody is at work on it.
    if (next.dataset.state !== shown.dataset.state) {
      if (!document.querySelector("details.change[open]")) return location.reload();
      say("Its state has changed; load the page anew.");
    }
    shown.replaceWith(document.adoptNode(next));
    return undefined;
  };

  const wait = () => {
    const every = Number(standing()?.dataset.every || 0);
    if (!every) return;
    setTimeout(tick, 1000 * Math.min(MOST_SECONDS, every * 2 ** failures));
  };
  const tick = async () => {
    if (document.hidden) return wait();
    try {
      await ask();
      failures = 0;
      say("Kept up to date.");
    } catch {
      failures = Math.min(failures + 1, 5);
      say("The hub did not answer; asking again.");
    }
    return wait();
  };
  wait();
})();
