"use strict";
// The terminal measures its font once, so it begins when the font is there.
const begin = window.onload;
window.onload = async (event) => {
  const styles = ["", "bold ", "italic "];
  await Promise.allSettled(styles.map((style) => document.fonts.load(style + "16px 'Roboto Mono'")));
  begin(event);
};
// It has the keys from its first output on, without a click.
const takeKeys = () => document.querySelector(".xterm-helper-textarea")?.focus();
const isOpen = () => document.body.matches(".-first-byte:not(.-closed)");
const first = new MutationObserver(() => {
  if (isOpen()) {
    first.disconnect();
    takeKeys();
    window.addEventListener("focus", takeKeys);
  }
});
first.observe(document.documentElement, { attributes: true, subtree: true, attributeFilter: ["class"] });
// Ctrl+V pastes, as everywhere on a page; to a terminal it would be a key of the program.
window.addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey && !event.altKey && event.key.toLowerCase() === "v") {
      event.stopImmediatePropagation();
    }
  },
  true,
);
// A reload ends the conversation, and Ctrl+W closes the page where a terminal deletes a word.
window.addEventListener("beforeunload", (event) => {
  if (isOpen()) {
    event.preventDefault();
  }
});
