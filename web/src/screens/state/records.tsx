// Records of any shape as a table: the columns are the names they have.
import type { ComponentChildren, JSX } from 'preact';
import { Fragment } from 'preact';
import { clockTime, fullTime, words } from '../../format.ts';
import { Empty } from '../../parts/notices.tsx';
import { short, Whole } from '../../parts/value.tsx';

type Fields = Readonly<Record<string, unknown>>;

const maxColumns = 7;
const idNames = ['id', 'key', 'workflowId', 'teamId', 'knowledgeBaseId', 'sessionId', 'name'];

export function Records({
  answer,
  selected,
  choose,
  details,
}: {
  readonly answer: Fields;
  readonly selected: string | undefined;
  readonly choose: ((id: string) => void) | undefined;
  readonly details: (id: string) => ComponentChildren;
}): JSX.Element {
  const lists = Object.entries(answer).filter(([, value]) => Array.isArray(value)) as [string, readonly unknown[]][];
  const rest = Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !Array.isArray(value) && name !== 'cursor'),
  );
  if (lists.length === 0) return <Whole value={answer} />;
  return (
    <>
      {Object.keys(rest).length > 0 && <Facts facts={rest} />}
      {lists.map(([name, items]) => (
        <section key={name} class="records">
          {lists.length > 1 && <h2>{words(name)}</h2>}
          {items.length === 0 && <Empty title="Nothing here">What agents and applications keep appears here.</Empty>}
          {items.length > 0 && (
            <Table name={name} items={items} selected={selected} choose={choose} details={details} />
          )}
        </section>
      ))}
    </>
  );
}

/** What there is besides lists: sums, and where something stands. */
function Facts({ facts }: { readonly facts: Fields }): JSX.Element {
  const entries = Object.entries(facts).flatMap(([name, value]) =>
    isFields(value) ? Object.entries(value) : [[name, value] as const],
  );
  return (
    <dl class="record-facts">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt class="small soft">{words(name)}</dt>
          <dd>
            <Cell value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Table({
  name: listName,
  items,
  selected,
  choose,
  details,
}: {
  /** Of the list: what is no record is called by it. */
  readonly name: string;
  readonly items: readonly unknown[];
  readonly selected: string | undefined;
  readonly choose: ((id: string) => void) | undefined;
  readonly details: (id: string) => ComponentChildren;
}): JSX.Element {
  const one = listName.replace(/s$/, '');
  const rows = items.map((item): Fields => (isFields(item) ? item : { [one]: item }));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  const idName = idNames.find((name) => names.includes(name)) ?? (names[0] === one ? one : undefined);
  return (
    <table class="table">
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name}>{words(name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const id = idName === undefined ? undefined : String(row[idName]);
          const isOn = id !== undefined && id === selected;
          return (
            <Fragment key={id ?? index}>
              <tr data-on={isOn}>
                {names.map((name) => (
                  <td key={name}>
                    {name === idName && id !== undefined && choose !== undefined ? (
                      <button
                        class="button quiet compact"
                        type="button"
                        aria-expanded={isOn}
                        onClick={() => choose(id)}
                      >
                        {id}
                      </button>
                    ) : (
                      <Cell value={row[name]} />
                    )}
                  </td>
                ))}
              </tr>
              {isOn && (
                <tr>
                  <td colSpan={names.length}>{details(id)}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Cell({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined || value === null) return <span class="faint">–</span>;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return (
      <time dateTime={value} title={fullTime(value)}>
        {clockTime(value)}
      </time>
    );
  return <span class="mono small">{typeof value === 'string' ? value.slice(0, 200) : short(value, 120)}</span>;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
