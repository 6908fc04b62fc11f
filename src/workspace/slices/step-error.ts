// What a step threw, told in its author's terms.
import type { WorkspaceContext } from '../context.ts';
import { insteadOfAbsent } from './absent-names.ts';
import type { HandleTable } from '../bridge/handle-table.ts';
import { render } from '../wire/render.ts';
import type { StepError, WorkspaceRow } from '../rows.ts';
import { sourceOfStep } from '../step-source.ts';
import { decodeWire } from '../wire/decode.ts';
import type { WireMessage } from '../wire/wire.ts';

// Guest code may write any text into a stack; so many steps are looked up for it at most.
const maxSources = 20;

/** `step` is the one whose code ran last; its text need not be in the store yet. */
export async function stepErrorOf(
  context: WorkspaceContext,
  handles: HandleTable,
  message: WireMessage,
  row: WorkspaceRow,
  step: { readonly number: number; readonly source: string },
): Promise<StepError> {
  const thrown = decodeWire(message, {
    handle: (token) => handles.objectFor(token),
    callback: () => undefined,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  if (!(thrown instanceof Error))
    return { name: 'Error', message: `The code threw ${render(thrown, { maxLength: 1000 })}` };
  const sources = new Map([[step.number, step.source]]);
  const named = (thrown.stack ?? '').slice(0, 65_536).matchAll(/\(?step (\d{1,15}):/g);
  for (const [, digits] of named) {
    const number = Number(digits);
    if (sources.size > maxSources) break;
    if (!sources.has(number)) sources.set(number, (await sourceOfStep(context.store, row.id, number)) ?? '');
  }
  const error = context.languages.of(row.language).authorError(thrown, (number) => sources.get(number) || undefined);
  const advice = missingService(context, error) ?? insteadOfAbsent(error);
  return advice === undefined ? error : { ...error, message: `${error.message}: ${advice}.` };
}

/** A name that is not defined may be a service that was not given to this program. */
function missingService({ services }: WorkspaceContext, { name, message }: StepError): string | undefined {
  if (name !== 'ReferenceError' && name !== 'NameError') return undefined;
  const [, unknown] = /^(?:name )?'?([\w$]+)'? is not defined/.exec(message) ?? [];
  if (unknown === undefined) return undefined;
  // Python writes `price_list` what is registered as `priceList`.
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const service = services.has(unknown) ? unknown : [...services.keys()].find((one) => plain(one) === plain(unknown));
  if (service === undefined) return undefined;
  return `the application has a service '${service}' that this program was not given. It has to be passed in vars`;
}
