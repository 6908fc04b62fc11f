// One object: its fields, what refers to it, and what it was, with the job and commit that wrote each version.
import type { JSX } from 'preact';
import { at, get } from '../../api/request.ts';
import { shortId } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Outline, Problem } from '../../parts/notices.tsx';
import { short, Whole } from '../../parts/value.tsx';
import { adjust, link } from '../../route.ts';
import { Field } from './field.tsx';
import type { StoredObject } from './object-types.ts';

interface Version {
  readonly object: StoredObject;
  readonly by?: { readonly job: string; readonly commit?: string };
  readonly job?: string;
  readonly commit?: string;
  readonly step?: number;
}

export function ObjectDetails({
  id,
  revision,
}: {
  readonly id: string;
  readonly revision: string | undefined;
}): JSX.Element {
  const changes = ['objects'];
  const object = useQuery(
    `${id} ${revision ?? ''}`,
    (signal) => get<StoredObject>(at`/objects/${id}`, { at: revision }, signal),
    { keep: true, changes: revision === undefined ? changes : [] },
  );
  const referrers = useQuery(
    `${id} referrers`,
    (signal) =>
      get<{ referrers: { id: string; type?: string }[]; isPartial: boolean }>(
        at`/objects/${id}/referrers`,
        undefined,
        signal,
      ),
    { keep: true, changes, calm: 500 },
  );
  const history = useQuery(
    `${id} history`,
    (signal) => get<{ versions: Version[]; isMore: boolean }>(at`/objects/${id}/history`, { limit: 50 }, signal),
    { changes, keep: true },
  );
  const { data } = object;
  return (
    <div class="stack object">
      <div class="row wrap">
        <h2>{data?.type ?? 'Object'}</h2>
        <span class="mono soft">{id}</span>
        {data?.tags?.map((tag) => (
          <span key={tag} class="chip">
            {tag}
          </span>
        ))}
        <span class="grow" />
        {data !== undefined && <span class="small soft">revision {data.revision}</span>}
      </div>
      <Problem error={object.error} />
      {data === undefined && object.error === undefined && <Outline />}
      {data !== undefined && (
        <section class="card">
          <h3 class="card-head">Fields</h3>
          <dl class="fields">
            {Object.entries(data.fields).map(([name, field]) => (
              <div key={name} class="field-line">
                <dt class="mono">{name}</dt>
                <dd class="mono">
                  {field.kind === 'data' && isLarge(field.value) ? (
                    <Whole value={field.value} />
                  ) : (
                    <Field field={field} revision={revision} />
                  )}
                </dd>
              </div>
            ))}
            {Object.keys(data.fields).length === 0 && <p class="faint">No fields.</p>}
          </dl>
        </section>
      )}
      <section class="card">
        <h3 class="card-head">Referred to by</h3>
        <div class="card-body">
          <Problem error={referrers.error} />
          {referrers.data?.referrers.length === 0 && <p class="faint">Nothing refers to it.</p>}
          <ul class="row wrap">
            {referrers.data?.referrers.map((one) => (
              <li key={one.id}>
                <a class="chip" href={link(['objects', one.id], { at: revision })} title={one.id}>
                  {one.type ?? 'object'} {shortId(one.id)}
                </a>
              </li>
            ))}
          </ul>
          {referrers.data?.isPartial === true && <p class="small soft">There may be more.</p>}
        </div>
      </section>
      <section class="card">
        <h3 class="card-head">History</h3>
        <div class="card-body">
          <Problem error={history.error} />
          {history.data === undefined && history.error === undefined && <Outline />}
          <ol class="versions">
            {history.data?.versions.map((version, index, all) => (
              <li key={version.object.revision}>
                <div class="row wrap">
                  <button
                    class="button compact"
                    type="button"
                    aria-pressed={String(version.object.revision) === revision}
                    onClick={() => adjust({ at: String(version.object.revision) })}
                  >
                    revision {version.object.revision}
                  </button>
                  <Writer version={version} />
                </div>
                <Changes before={all[index + 1]?.object} after={version.object} />
              </li>
            ))}
          </ol>
          {history.data?.isMore === true && <p class="small soft">Older versions are not shown.</p>}
        </div>
      </section>
    </div>
  );
}

function Writer({ version }: { readonly version: Version }): JSX.Element {
  const job = version.job ?? version.by?.job;
  const commit = version.commit ?? version.by?.commit;
  if (job === undefined) return <span class="small soft">written by the application</span>;
  return (
    <span class="small">
      by <a href={link(['jobs', job], { at: commit })}>{job}</a>
      {version.step !== undefined && `, step ${version.step}`}
    </span>
  );
}

function Changes({
  before,
  after,
}: {
  readonly before: StoredObject | undefined;
  readonly after: StoredObject;
}): JSX.Element {
  if (before === undefined) return <p class="small soft">the oldest version that is kept</p>;
  const names = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])];
  const changed = names.filter((name) => JSON.stringify(before.fields[name]) !== JSON.stringify(after.fields[name]));
  return (
    <ul>
      {changed.map((name) => (
        <li key={name} class="mono small change">
          {name}: <span class="was">{fieldText(before, name)}</span> → {fieldText(after, name)}
        </li>
      ))}
    </ul>
  );
}

function fieldText({ fields }: StoredObject, name: string): string {
  const field = fields[name];
  if (field === undefined) return 'not there';
  if (field.kind === 'data') return short(field.value, 120);
  return field.kind === 'reference' ? `${field.type} ${shortId(field.id)}` : field.text;
}

function isLarge(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length > 120 : String(value).length > 120;
}
