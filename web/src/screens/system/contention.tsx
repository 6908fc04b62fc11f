// What slows the system down: slices that keep a process busy for long, and objects that many change at the same time.
import type { JSX } from 'preact';
import { count, duration } from '../../format.ts';
import type { Queried } from '../../live/query.ts';
import { Age } from '../../parts/age.tsx';
import { link } from '../../route.ts';
import { Card } from './card.tsx';
import type { System } from './system-screen.tsx';

const shown = 8;

export function SlowSlicesCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  // Servers of earlier versions have none.
  const slices = system.data?.slowSlices ?? [];
  return (
    <Card title="Slow slices" query={system} none="No slice has kept a process busy for long in the last four weeks.">
      {slices.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Job</th>
              <th class="number">Step</th>
              <th class="number">Took</th>
              <th class="number">When</th>
            </tr>
          </thead>
          <tbody>
            {slices.slice(0, shown).map(({ job, step, commit, milliseconds, time }) => (
              <tr key={commit}>
                <td>
                  <a href={link(['jobs', job])}>{job}</a>
                </td>
                <td class="number">{step}</td>
                <td class="number">{duration(milliseconds)}</td>
                <td class="number soft">
                  <Age time={time} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

export function HotObjectsCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  const objects = system.data?.hotObjects ?? [];
  return (
    <Card title="Hot objects" query={system} none="Nothing had to run again because of an object in the last 24 hours.">
      {objects.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Object</th>
              <th>Class</th>
              <th class="number">Conflicts in 24 h</th>
            </tr>
          </thead>
          <tbody>
            {objects.slice(0, shown).map(({ id, type, conflicts }) => (
              <tr key={id}>
                <td>{type === undefined ? id : <a href={link(['objects', id])}>{id}</a>}</td>
                <td class="soft">{type ?? 'gone'}</td>
                <td class="number">{count(conflicts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
