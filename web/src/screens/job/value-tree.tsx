// A value as a tree: each branch is asked for when it is opened, and a long one page by page.
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, get, post, Refusal, saveAs } from '../../api/request.ts';
import type { Member, Members } from '../../api/types.ts';
import { count, plural, shortId } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Outline, Problem } from '../../parts/notices.tsx';
import { link } from '../../route.ts';

type Path = readonly (string | number)[];

const page = 100;

interface BranchProps {
  readonly job: string;
  readonly commit: string | undefined;
  readonly path: Path;
  readonly level: number;
  /** Branches that are open, by their paths. */
  readonly open: Signal<ReadonlySet<string>>;
  /** Names that the commit changed; only at the top. */
  readonly changed?: ReadonlyMap<string, string>;
}

export function Branch({ job, commit, path, level, open, changed }: BranchProps): JSX.Element {
  const [limit, setLimit] = useState(page);
  const place = JSON.stringify(path);
  const { data, error } = useQuery(
    `${job} ${commit ?? ''} ${place} ${limit}`,
    (signal) =>
      get<Members>(
        at`/jobs/${job}/members`,
        { commit, path: path.length === 0 ? undefined : place, limit: Math.min(1000, limit) },
        signal,
      ),
    { keep: true, when: (event) => commit === undefined && event.job === job },
  );
  if (error !== undefined) {
    // At another moment there may be nothing at this place, and before the first code there are no variables.
    const isGone = error instanceof Refusal && error.status === 404;
    return isGone ? (
      <p class="faint">{level === 0 ? 'No variables yet.' : 'Not there at this moment.'}</p>
    ) : (
      <Problem error={error} />
    );
  }
  if (data === undefined) return <Outline lines={level === 0 ? 5 : 2} />;
  if (data.members.length === 0 && level > 0)
    return <LargeText text={data.text} job={job} commit={commit} path={path} />;
  const tools = level === 0 ? data.members.filter(isTool) : [];
  const own = tools.length === 0 ? data.members : data.members.filter((member) => !isTool(member));
  const removed = [...(changed ?? [])].filter(([, change]) => change === 'removed');
  const left = data.total - data.members.length;
  const node = (member: Member): JSX.Element => (
    <Node
      key={member.name}
      member={member}
      change={changed?.get(member.name)}
      branch={{ job, commit, path: [...path, member.step], level: level + 1, open }}
    />
  );
  return (
    <ul class="tree" role={level === 0 ? 'tree' : 'group'} aria-label={level === 0 ? 'Variables' : undefined}>
      {own.length === 0 && removed.length === 0 && (
        <li role="none" class="faint tree-none">
          No variables.
        </li>
      )}
      {own.map(node)}
      {removed.map(([name]) => (
        <li key={name} class="tree-item" role="treeitem" data-change="removed">
          <span class="tree-line">
            <span class="branch" />
            <span class="tree-name">{name}</span>
            <span class="faint">removed</span>
          </span>
        </li>
      ))}
      {left > 0 && (
        <li role="none">
          {limit < 1000 ? (
            <button class="button quiet compact" type="button" onClick={() => setLimit(Math.min(1000, limit + 300))}>
              {count(left)} more
            </button>
          ) : (
            <span class="faint">… {count(left)} more</span>
          )}
        </li>
      )}
      {tools.length > 0 && <Tools tools={tools} open={open} />}
    </ul>
  );
}

/** A text as far as the server shows it; all of it can be downloaded. */
function LargeText({
  text,
  job,
  commit,
  path,
}: Pick<BranchProps, 'job' | 'commit' | 'path'> & { readonly text: string }): JSX.Element {
  const [failure, setFailure] = useState<Error>();
  const save = async (): Promise<void> => {
    setFailure(undefined);
    try {
      // The path as an expression, which is the same in both languages.
      const [name = '', ...rest] = path;
      const code = `${name}${rest.map((step) => `[${JSON.stringify(step)}]`).join('')}`;
      const { value } = await post<{ value: unknown }>(at`/jobs/${job}/at/${commit ?? ''}/evaluate`, { code });
      saveAs(new Blob([typeof value === 'string' ? value : JSON.stringify(value, null, 2)]), `${code}.txt`);
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <>
      <pre class="whole" tabIndex={0} role="region" aria-label={String(path.at(-1))}>
        {text}
      </pre>
      {commit !== undefined && (
        <button class="button quiet compact" type="button" onClick={() => void save()}>
          <Icon name="download" /> Download
        </button>
      )}
      <Problem error={failure} />
    </>
  );
}

/** The tools an agent was given are variables, too, but not what its program made. */
function Tools({
  tools,
  open,
}: {
  readonly tools: readonly Member[];
  readonly open: Signal<ReadonlySet<string>>;
}): JSX.Element {
  const isOpen = open.value.has('tools');
  return (
    <li class="tree-item" role="treeitem" aria-expanded={isOpen}>
      <span class="tree-line">
        <button
          class="branch"
          type="button"
          aria-expanded={isOpen}
          aria-label="Show the tools"
          onClick={() => toggle(open, 'tools')}
        >
          <Icon name="right" />
        </button>
        <span class="faint">{plural(tools.length, 'tool')}</span>
      </span>
      {isOpen && <p class="mono small soft tree-tools">{tools.map(({ name }) => name).join(', ')}</p>}
    </li>
  );
}

function Node({
  member,
  change,
  branch,
}: {
  readonly member: Member;
  readonly change: string | undefined;
  readonly branch: Omit<BranchProps, 'changed'>;
}): JSX.Element {
  const { name, text, type, size, object } = member;
  const key = JSON.stringify(branch.path);
  const isOpen = branch.open.value.has(key);
  const canOpen = (size ?? 0) > 0 || (object === undefined && (text.length > 80 || text.includes('\n')));
  return (
    <li
      class="tree-item"
      role="treeitem"
      aria-expanded={canOpen ? isOpen : undefined}
      data-change={change}
      title={change === undefined ? undefined : `${change} in this commit`}
    >
      <span class="tree-line">
        {canOpen ? (
          <button
            class="branch"
            type="button"
            aria-expanded={isOpen}
            aria-label={`Open ${name}`}
            onClick={() => toggle(branch.open, key)}
          >
            <Icon name="right" />
          </button>
        ) : (
          <span class="branch" />
        )}
        <span class="tree-name">{name}</span>
        {change !== undefined && <span class="tree-change">{change}</span>}
        <span class="tree-value cut">
          {object === undefined ? (
            <span class={`value-${type}`}>{text}</span>
          ) : (
            <a href={link(['objects', object])} title={object}>
              {text.replace(/^\[(\S+) .*$/s, '$1')} <span class="faint">{shortId(object)}</span>
            </a>
          )}
        </span>
        {size !== undefined && size > 0 && <span class="small faint">{count(size)}</span>}
      </span>
      {isOpen && canOpen && (
        <div class="tree-branch">
          <Branch {...branch} />
        </div>
      )}
    </li>
  );
}

function toggle(open: Signal<ReadonlySet<string>>, key: string): void {
  const next = new Set(open.value);
  if (!next.delete(key)) next.add(key);
  open.value = next;
}

function isTool({ name, type, text, object }: Member): boolean {
  const plain = (given: string): string => given.replaceAll('_', '').toLowerCase();
  const own = type === 'handle' && object === undefined ? /^\[.*\.([^.\]]+)\]$/s.exec(text)?.[1] : undefined;
  return own !== undefined && plain(own) === plain(name);
}
