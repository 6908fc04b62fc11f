// `statek knowledge`: knowledge bases, how far indexing has come, and search.
import type { IndexingProgress } from '../../../state/knowledge/records.ts';
import { NotFoundError } from '../../../workspace/errors.ts';
import { baseRows } from '../../../state/knowledge/rows.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { oneLine } from '../../output/style.ts';
import { timeText } from '../../shown/describe.ts';
import type { Session } from '../../session.ts';
import { shown } from './follow.ts';
import { printEvents, watchOptions } from './watching.ts';

export const knowledge: Command = {
  name: 'knowledge',
  group: 'Look',
  summary: 'list knowledge bases, show one, or search it',
  arguments: [
    { syntax: '[base]', description: 'its id (default: all)' },
    { syntax: '[query...]', description: 'words to search for' },
  ],
  options: watchOptions,
  examples: [
    ['knowledge', 'all knowledge bases'],
    ['knowledge company', 'its sources and how far indexing has come'],
    ['knowledge company booking trains', 'the documents that fit best'],
    ['knowledge company --watch', 'progress while it changes'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    const base = given.optional('base');
    if (base === undefined) return list(session, given);
    const query = given.list('query').join(' ');
    if (query !== '' && given.flag('watch')) throw new UsageError('--watch shows progress. Leave the words out.');
    if (query !== '') return search(session, base, query, given);
    if ((await kit.knowledge.getKnowledgeBaseState(base)) === undefined)
      throw new NotFoundError(`There is no knowledge base '${base}'. List them with: statek knowledge`, { base });
    if (given.flag('watch'))
      return printEvents(session, given, kit.knowledge.watch(base, { signal: session.signal }), progressLine);
    return show(session, base);
  },
};

async function list(session: Session, given: Given): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const look = () => kit.knowledge.listKnowledgeBases({ limit: given.number('limit') ?? 20 });
  await shown(session, kit, given.flag('watch'), [baseRows], look, (page) => {
    if (out.isJson) {
      out.json(page);
      return;
    }
    if (page.knowledgeBases.length === 0) {
      out.note('No knowledge bases found.');
      return;
    }
    out.table(page.knowledgeBases, [
      { title: 'BASE', text: ({ knowledgeBaseId }) => oneLine(knowledgeBaseId), minWidth: 8 },
      { title: 'NAME', text: ({ name }) => oneLine(name ?? ''), minWidth: 8 },
      { title: 'CREATED', text: ({ createdAt }) => timeText(createdAt) },
    ]);
    if (page.cursor !== undefined) out.note('There are more: raise --limit.');
  });
}

async function show(session: Session, base: string): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const [state, sources] = await Promise.all([
    kit.knowledge.getKnowledgeBaseState(base),
    kit.knowledge.getSources(base),
  ]);
  if (state === undefined) return;
  if (out.isJson) {
    out.json({ ...state, sources });
    return;
  }
  out.facts([
    ['base', oneLine(base)],
    ['documents', String(state.totalDocuments)],
    ['failed', state.failedDocuments === 0 ? undefined : String(state.failedDocuments)],
    ['embeddings', String(state.totalEmbeddings)],
    ['size', `${state.storageSizeMb.toFixed(1)} MiB`],
    ['updated', state.lastUpdated && timeText(state.lastUpdated)],
    ['indexing', progressLine(state.indexing)],
  ]);
  if (sources.length === 0) return;
  out.heading('Sources');
  out.table(sources, [
    { title: 'SOURCE', text: ({ sourceId }) => oneLine(sourceId), minWidth: 8 },
    { title: 'STATUS', text: ({ syncStatus }) => syncStatus },
    { title: 'DOCUMENTS', text: ({ documentsSynced }) => String(documentsSynced), right: true },
    { title: 'PENDING', text: ({ documentsPending }) => String(documentsPending), right: true },
    { title: 'FAILED', text: ({ documentsFailed }) => String(documentsFailed), right: true },
    { title: 'LAST SYNC', text: ({ lastSync }) => (lastSync === undefined ? '' : timeText(lastSync)) },
  ]);
}

async function search(session: Session, base: string, query: string, given: Given): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const found = await kit.knowledge.search(base, query, { limit: given.number('limit') ?? 10 });
  if (out.isJson) {
    out.json(found);
    return;
  }
  if (found.results.length === 0) {
    out.note('Nothing found.');
    return;
  }
  for (const { itemId, sourceId, title, snippet } of found.results) {
    out.line(`${out.style.bold(oneLine(title ?? itemId))}  ${oneLine(`${sourceId}/${itemId}`)}`);
    out.line(`  ${oneLine(snippet)}`);
  }
}

function progressLine({ status, processedDocuments, totalDocuments, failedDocuments }: IndexingProgress): string {
  const of = totalDocuments === undefined ? '' : ` of ${totalDocuments}`;
  const failed = failedDocuments === 0 ? '' : `, ${failedDocuments} failed`;
  return `${status}, ${processedDocuments}${of} documents${failed}`;
}
