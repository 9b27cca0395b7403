// The look that our pages without a build share with those of web/: the colours, light and dark. Text on each of them has a contrast of
// at least 4.5 (WCAG 2.2, 1.4.3), the quiet one too.

/** To be put in front of a page's own style. */
export const look = `
:root { color-scheme: light dark; --ink: #1d2430; --quiet: #5b6675; --line: #d9dde5; --paper: #fff; --soft: #f6f7f9; --accent: #0f766e; --on-accent: #fff; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --quiet: #98a2b3; --line: #2b3340; --paper: #12161d; --soft: #1a2029; --accent: #5eead4; --on-accent: #06281d; --bad: #ff8a7a; }
}
body { color: var(--ink); background: var(--paper); }
`;
