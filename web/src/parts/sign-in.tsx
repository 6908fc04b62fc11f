// Without a valid token: where to get one, and a field for it.
import type { JSX } from 'preact';
import { setToken, token } from '../api/token.ts';
import '../style/sign-in.css';

export function SignIn({
  failure,
  retry,
}: {
  readonly failure: Error | undefined;
  readonly retry: () => void;
}): JSX.Element {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('token');
    if (typeof given !== 'string' || given.trim() === '') return;
    setToken(given.trim());
    retry();
  };
  return (
    <main class="sign-in">
      <h1>Statek</h1>
      <p class="soft">
        Open the link that <code>statek inspect</code> or <code>statek serve</code> has printed: it has the token. Or
        enter the token here.
      </p>
      {token() !== undefined && failure !== undefined && (
        <p class="notice bad" role="alert">
          {failure.message}
        </p>
      )}
      <form class="row" onSubmit={submit}>
        <label class="hidden" for="token">
          Token
        </label>
        <input
          id="token"
          name="token"
          class="field grow mono"
          type="password"
          autocomplete="off"
          placeholder="token"
          required
        />
        <button class="button primary" type="submit">
          Open
        </button>
      </form>
    </main>
  );
}
