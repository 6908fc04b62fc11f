// Durable objects: classes, the instances of one, one object; now or at an older revision of everything.
import type { JSX } from 'preact';
import { get } from '../../api/request.ts';
import { useQuery } from '../../live/query.ts';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { adjust, link, place } from '../../route.ts';
import '../../style/objects.css';
import { Instances } from './instances.tsx';
import { ObjectDetails } from './object-details.tsx';

export function ObjectsScreen(): JSX.Element {
  const { path, query } = place.value;
  const id = path[1];
  const revision = query.get('at') ?? undefined;
  const classes = useQuery('classes', (signal) => get<{ classes: string[] }>('/objects', undefined, signal), {
    changes: ['objects'],
  });
  const type = query.get('type') ?? classes.data?.classes[0];
  return (
    <div class="screen">
      <div class="screen-head">
        <h1>Objects</h1>
        <span class="grow" />
        <label class="soft small" for="revision">
          At revision
        </label>
        <input
          id="revision"
          class="field revision"
          type="number"
          min={0}
          placeholder="now"
          value={revision ?? ''}
          onChange={({ currentTarget: { value } }) => adjust({ at: value })}
        />
        {revision !== undefined && (
          <button class="button compact" type="button" onClick={() => adjust({ at: undefined })}>
            Now
          </button>
        )}
      </div>
      <Problem error={classes.error} />
      {classes.data === undefined && classes.error === undefined && (
        <div class="screen-body">
          <Outline />
        </div>
      )}
      {classes.data?.classes.length === 0 && (
        <Empty title="No durable objects">Classes that extend Durable appear here once they have instances.</Empty>
      )}
      {classes.data !== undefined && classes.data.classes.length > 0 && (
        <div class="objects">
          <nav class="classes" aria-label="Classes">
            {classes.data.classes.map((name) => (
              <a
                key={name}
                class="nav-link"
                href={link(['objects'], { type: name, at: revision })}
                aria-current={id === undefined && name === type ? 'page' : undefined}
              >
                <span class="cut">{name}</span>
              </a>
            ))}
          </nav>
          <div class="objects-main" tabIndex={0} role="region" aria-label="Objects">
            {id !== undefined ? (
              <ObjectDetails key={id} id={id} revision={revision} />
            ) : (
              type !== undefined && (
                <Instances key={type} type={type} revision={revision} tag={query.get('tag') ?? undefined} />
              )
            )}
          </div>
        </div>
      )}
    </div>
  );
}
