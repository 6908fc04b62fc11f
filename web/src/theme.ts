// Light or dark: as the system has it, or as was chosen here.
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const name = 'statek-theme';
const known = localStorage.getItem(name);
export const theme = signal<Theme>(known === 'light' || known === 'dark' ? known : 'system');

function apply(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function nextTheme(): void {
  theme.value = theme.value === 'system' ? 'light' : theme.value === 'light' ? 'dark' : 'system';
  localStorage.setItem(name, theme.value);
  apply();
}

apply();
