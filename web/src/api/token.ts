// The token comes in the fragment of the link (`#token=…`), which browsers send to nobody. It is kept for this tab and taken out
// of the address at once, so that it is in no history and on no screenshot.
const name = 'statek-token';

export function takeToken(): void {
  const given = /^#token=([^&]+)(?:&to=(.*))?$/.exec(location.hash);
  if (given === null) return;
  sessionStorage.setItem(name, decodeURIComponent(given[1] ?? ''));
  history.replaceState(null, '', `#${given[2] === undefined ? '/jobs' : decodeURIComponent(given[2])}`);
}

export function token(): string | undefined {
  return sessionStorage.getItem(name) ?? undefined;
}

export function setToken(value: string): void {
  sessionStorage.setItem(name, value);
}
