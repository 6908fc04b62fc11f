// The instances of a class as a table, page by page.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, get } from '../../api/request.ts';
import { shortId } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { adjust, link } from '../../route.ts';
import { Field } from './field.tsx';
import type { StoredObject } from './object-types.ts';

const pageSize = 50;
const maxColumns = 7;

export function Instances({
  type,
  revision,
  tag,
}: {
  readonly type: string;
  readonly revision: string | undefined;
  readonly tag: string | undefined;
}): JSX.Element {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { data, error } = useQuery(
    `${type} ${revision ?? ''} ${tag ?? ''} ${cursor ?? ''}`,
    (signal) =>
      get<{ objects: StoredObject[]; cursor?: string }>(
        at`/objects/classes/${type}`,
        { limit: pageSize, cursor, at: revision, tag },
        signal,
      ),
    { keep: true, changes: revision === undefined ? ['objects'] : [] },
  );
  const names = [...new Set((data?.objects ?? []).flatMap(({ fields }) => Object.keys(fields)))].slice(0, maxColumns);
  return (
    <>
      <div class="row objects-tools">
        <h2>{type}</h2>
        <span class="grow" />
        <label class="hidden" for="tag">
          Tag
        </label>
        <input
          id="tag"
          class="field"
          type="search"
          placeholder="Tag"
          value={tag ?? ''}
          onChange={({ currentTarget: { value } }) => adjust({ tag: value })}
        />
        <button
          class="button compact"
          type="button"
          aria-label="Page before"
          disabled={cursors.length === 0}
          onClick={() => setCursors(cursors.slice(0, -1))}
        >
          <Icon name="left" />
        </button>
        <button
          class="button compact"
          type="button"
          aria-label="Next page"
          disabled={data?.cursor === undefined}
          onClick={() => data?.cursor !== undefined && setCursors([...cursors, data.cursor])}
        >
          <Icon name="right" />
        </button>
      </div>
      <Problem error={error} />
      {data === undefined && error === undefined && <Outline lines={6} />}
      {data?.objects.length === 0 && <Empty title="None">No instance matches.</Empty>}
      {data !== undefined && data.objects.length > 0 && (
        <table class="table objects-table">
          <thead>
            <tr>
              <th>Id</th>
              {names.map((name) => (
                <th key={name}>{name}</th>
              ))}
              <th>Tags</th>
            </tr>
          </thead>
          <tbody>
            {data.objects.map((object) => (
              <tr key={object.id}>
                <td>
                  <a class="mono" href={link(['objects', object.id], { at: revision })} title={object.id}>
                    {shortId(object.id)}
                  </a>
                </td>
                {names.map((name) => {
                  const field = object.fields[name];
                  return (
                    <td key={name}>
                      <div class="cut field-cell">
                        {field !== undefined && <Field field={field} revision={revision} />}
                      </div>
                    </td>
                  );
                })}
                <td class="soft">{object.tags?.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
