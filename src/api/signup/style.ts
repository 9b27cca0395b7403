// The style of the signup's page: inline under a nonce, no outside font or image.

export const style = `
:root { color-scheme: light dark; --text: #1c2024; --dim: #60646c; --line: #d9d9e0; --card: #fff; --page: #f6f6f8; --accent: #0a7d5a; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --text: #edeef0; --dim: #b0b4ba; --line: #43484e; --card: #1c1f22; --page: #111214; --accent: #3ac79a; --bad: #ff8a7a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1rem;
  padding: 1.5rem 1rem; background: var(--page); color: var(--text); font: 16px/1.6 system-ui, "Segoe UI", "Noto Sans Arabic", sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.brand { margin: 0 0 1.25rem; font-weight: 600; color: var(--accent); }
h1 { margin: 0; font-size: 1.4rem; line-height: 1.3; }
.for { margin: .15rem 0 1rem; color: var(--dim); font-weight: 500; overflow-wrap: anywhere; }
p { margin: 0 0 1.25rem; }
button { width: 100%; padding: .8rem 1rem; border: 0; border-radius: .6rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
@media (prefers-color-scheme: dark) { button { color: #06281d; } }
button:disabled { opacity: .45; cursor: default; }
button:focus-visible, nav a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#note { margin: 1rem 0 0; min-height: 1.6em; color: var(--dim); }
#note:empty { min-height: 0; margin: 0; }
#note.good { color: var(--accent); font-weight: 600; }
#note.bad { color: var(--bad); }
[hidden] { display: none !important; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: flex; gap: .75rem; align-items: baseline; padding: .3rem 0; color: var(--dim); }
li::before { content: "○"; flex: none; width: 1.2em; text-align: center; }
li.done { color: var(--text); }
li.done::before { content: "✓"; color: var(--accent); font-weight: 700; }
li.now { color: var(--text); font-weight: 600; }
li.now::before { content: "●"; color: var(--accent); animation: pulse 1.2s ease-in-out infinite; }
li.failed { color: var(--bad); }
li.failed::before { content: "✕"; }
@keyframes pulse { 50% { opacity: .25; } }
@media (prefers-reduced-motion: reduce) { li.now::before { animation: none; } }
nav { display: flex; gap: 1.25rem; font-size: .9rem; }
nav a { color: var(--dim); }
nav a[aria-current] { color: var(--text); text-decoration: none; font-weight: 600; }
`;
