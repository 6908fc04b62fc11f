// The frame of all screens, and the way in.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refusal } from './api/request.ts';
import { loadCaller } from './caller.ts';
import { connection, followEvents } from './live/events.ts';
import { SignIn } from './parts/sign-in.tsx';
import { Navigation } from './parts/navigation.tsx';
import { Screen } from './screens/screen.tsx';

export function App(): JSX.Element {
  const [state, setState] = useState<'opening' | 'open' | 'refused'>('opening');
  const [failure, setFailure] = useState<Error>();

  const open = async (): Promise<void> => {
    try {
      await loadCaller();
      followEvents();
      setState('open');
    } catch (error) {
      setFailure(error as Error);
      if (error instanceof Refusal && (error.status === 401 || error.status === 403)) setState('refused');
      else setTimeout(() => void open(), 1000);
    }
  };
  useEffect(() => void open(), []);

  if (state === 'refused') return <SignIn failure={failure} retry={() => void open()} />;
  if (state === 'opening')
    return failure === undefined ? <div /> : <p class="lost-bar">The server cannot be reached. Trying again …</p>;
  return (
    <div class="shell">
      <Navigation />
      <main class="main">
        {connection.value === 'lost' && (
          <p class="lost-bar" role="status">
            The connection to the server is lost. What you see may be old; trying again …
          </p>
        )}
        {connection.value === 'refused' && (
          <p class="lost-bar" role="alert">
            The server does not accept this token any more. Open the link again that it printed.
          </p>
        )}
        <Screen />
      </main>
    </div>
  );
}
