// The look of our pages: one colour that is ours, system fonts, and Mantine's own light and dark. Text on the accent is readable in both.

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Teal, from the lightest to the darkest. */
const ramz: MantineColorsTuple = [
  '#ecfdf9',
  '#d2f9f0',
  '#a4f1e1',
  '#6fe6d0',
  '#3fd3bb',
  '#1fb8a2',
  '#12958a',
  '#0f766e',
  '#0d5f59',
  '#0b4a46',
];

export const theme = createTheme({
  primaryColor: 'ramz',
  primaryShade: { light: 7, dark: 7 },
  colors: { ramz },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Naskh Arabic", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Mantine's own dimmed text and red are too pale on our grounds: WCAG asks for 4.5 to 1. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': '#5a646e', '--mantine-color-error': '#c22323' },
  dark: {
    '--mantine-color-dimmed': '#aab3bc',
    '--mantine-color-error': '#ff9a9a',
    '--mantine-color-body': '#171a1e',
    '--mantine-color-text': '#e4e7ea',
  },
});
