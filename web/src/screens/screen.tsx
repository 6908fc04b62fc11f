// The screen of the address. All but the list of jobs are loaded when they are first opened.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onHealed } from '../live/events.ts';
import { Outline, Problem } from '../parts/notices.tsx';
import { place } from '../route.ts';
import { JobsScreen } from './jobs/jobs-screen.tsx';

type Load = () => Promise<ComponentType>;

const screens: Readonly<Record<string, Load>> = {
  job: () => import('./job/job-screen.tsx').then(({ JobScreen }) => JobScreen),
  compare: () => import('./compare/compare-screen.tsx').then(({ CompareScreen }) => CompareScreen),
  waiting: () => import('./waiting/waiting-screen.tsx').then(({ WaitingScreen }) => WaitingScreen),
  objects: () => import('./objects/objects-screen.tsx').then(({ ObjectsScreen }) => ObjectsScreen),
  state: () => import('./state/state-screen.tsx').then(({ StateScreen }) => StateScreen),
  system: () => import('./system/system-screen.tsx').then(({ SystemScreen }) => SystemScreen),
};

const loaded = new Map<string, ComponentType>();

export function Screen(): JSX.Element {
  const [first = 'jobs', second] = place.value.path;
  const name = first === 'jobs' && second !== undefined ? 'job' : first;
  if (screens[name] === undefined) return <JobsScreen />;
  // A screen of another job is another screen: nothing of the first one stays.
  return <Lazy key={`${name} ${second ?? ''}`} name={name} />;
}

function Lazy({ name }: { readonly name: string }): JSX.Element {
  const [Shown, setShown] = useState<ComponentType | undefined>(() => loaded.get(name));
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    if (Shown !== undefined) return;
    const load = async (): Promise<void> => {
      try {
        const component = await screens[name]?.();
        if (component === undefined) return;
        loaded.set(name, component);
        setShown(() => component);
      } catch (error) {
        setFailure(error as Error);
      }
    };
    void load();
  }, [name]);
  // Its files could not be loaded while the server was away; a later version of it may have others. The address leads here again.
  useEffect(() => (failure === undefined ? undefined : onHealed(() => location.reload())), [failure]);
  if (Shown !== undefined) return <Shown />;
  return (
    <div class="screen">
      <div class="screen-head">
        {failure !== undefined && (
          <>
            <Problem error={new Error('This screen could not be loaded.')} />
            <button class="button" type="button" onClick={() => location.reload()}>
              Load the page again
            </button>
          </>
        )}
      </div>
      <div class="screen-body">{failure === undefined && <Outline lines={6} />}</div>
    </div>
  );
}
