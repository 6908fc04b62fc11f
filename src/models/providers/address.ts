// Parses the address of a provider: a server, a base URL, or the full URL of a request.
import { ModelSettingsError } from '../errors.ts';

export interface Address {
  /** Without a trailing slash. */
  readonly url: string;
  readonly endpoint: string | undefined;
}

const endpoints = ['/chat/completions', '/responses', '/messages'];

/** `versionPath` is appended to the address of a server. `where` names the setting in errors. */
export function readAddress(text: string, versionPath: string, where: string): Address {
  let address: URL;
  try {
    address = new URL(text.trim());
  } catch {
    throw refused(text, where);
  }
  if (address.protocol !== 'http:' && address.protocol !== 'https:') throw refused(text, where);
  if (address.username !== '' || address.password !== '') {
    throw new ModelSettingsError(`${where} must not contain a user name or password; use the key setting.`, { where });
  }
  const path = address.pathname.replace(/\/+$/, '');
  // Google's full addresses end with the model and an operation.
  const endpoint = endpoints.find((candidate) => path.endsWith(candidate)) ?? /\/models\/[^/]+:\w+$/.exec(path)?.[0];
  if (endpoint !== undefined) return { url: address.origin + path.slice(0, -endpoint.length), endpoint };
  return { url: address.origin + (path === '' ? versionPath : path), endpoint };
}

function refused(text: string, where: string): ModelSettingsError {
  return new ModelSettingsError(
    `${where} is '${text}', which is not an address. Write it like 'http://localhost:11434/v1'; a full address such as '…/v1/chat/completions' works too.`,
    { where, value: text },
  );
}
